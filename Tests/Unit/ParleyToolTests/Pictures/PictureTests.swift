import ParleyProtocol
import Testing

@testable import parley

@Suite("Pictures in a terminal")
struct PictureTests {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static func bytes(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func chunk(_ name: String, _ content: [UInt8] = [], length: Int? = nil) -> [UInt8] {
        bytes(length ?? content.count) + Array(name.utf8) + content + [0, 0, 0, 0]
    }

    private static func header(_ width: Int = 1, _ height: Int = 1) -> [UInt8] {
        chunk("IHDR", bytes(width) + bytes(height) + [8, 6, 0, 0, 0])
    }

    private static let pixels = chunk("IDAT", [1, 2, 3])
    private static let end = chunk("IEND")

    @Test("of a PNG the pixels are passed on, and neither texts nor profiles nor what stands behind its end")
    func cleaned() throws {
        let file =
            Self.signature + Self.header(640, 480) + Self.chunk("iCCP", [9, 9]) + Self.chunk("tEXt", [8])
            + Self.chunk("PLTE", [1, 2, 3]) + Self.chunk("tRNS", [5]) + Self.pixels + Self.pixels + Self.end
            + Array("<script>".utf8)
        let picture = try #require(PNGPicture(file))
        #expect(
            picture.bytes == Self.signature + Self.header(640, 480) + Self.chunk("PLTE", [1, 2, 3])
                + Self.chunk("tRNS", [5]) + Self.pixels + Self.pixels + Self.end)
        #expect(picture.width == 640 && picture.height == 480)
    }

    @Test(
        "what is no PNG, is cut off, or would need a room without end is none",
        arguments: [
            [], Array("<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"x()\"/>".utf8), [0xFF, 0xD8, 0xFF, 0xE0],
            signature, signature + header(), signature + header() + pixels, signature + header() + end,
            signature + header() + pixels + end.dropLast(), signature + header(65_535, 65_535) + pixels + end,
            signature + header(0, 9) + pixels + end, signature + pixels + header() + end,
            signature + header() + header() + pixels + end,
            signature + header() + chunk("IDAT", [1], length: 0x7FFF_FFFF) + end,
            signature + header() + chunk("IDAT", [1], length: 0xFFFF_FFFF) + end,
            signature + header() + chunk("EVIL", [1]) + pixels + end,
            signature + header() + chunk("\u{1B}[2J", [1]) + pixels + end,
            signature + chunk("IHDR", bytes(1) + bytes(1)) + pixels + end,
            signature + header() + pixels + chunk("IEND").dropLast(4) + [0],
            [UInt8](repeating: 0x89, count: PNGPicture.longest + 1),
        ] as [[UInt8]])
    func refused(file: [UInt8]) {
        #expect(PNGPicture(file) == nil)
    }

    @Test(
        "only the environment says whether a terminal shows pictures",
        arguments: [
            (["KITTY_WINDOW_ID": "1"], .kitty), (["TERM": "xterm-kitty"], .kitty), (["TERM": "xterm-ghostty"], .kitty),
            (["TERM_PROGRAM": "WezTerm"], .kitty), (["TERM": "xterm-256color"], .none), ([:], .none),
            (["TERM": "xterm-kitty", "TMUX": "/tmp/x"], .none), (["KITTY_WINDOW_ID": "1", "STY": "1"], .none),
        ] as [([String: String], PictureSupport)])
    func support(variables: [String: String], support: PictureSupport) {
        #expect(PictureSupport { variables[$0] } == support)
    }

    @Test("a picture goes to the terminal as base64 in parts, scaled to the screen, and nothing is to be answered")
    func graphics() throws {
        let content = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let file = Self.signature + Self.header(2000, 100) + Self.chunk("IDAT", content) + Self.end
        let picture = try #require(PNGPicture(file))
        let text = String(
            decoding: KittyGraphics.show(picture, size: TerminalSize(columns: 80, rows: 24)), as: UTF8.self)
        let parts = text.components(ending: "\u{1B}\\")
        #expect(parts.count == 4)
        #expect(parts[0].hasPrefix("\u{1B}[0m\u{1B}[2J\u{1B}[H\u{1B}_Ga=T,f=100,q=2,C=1,c=80,m=1;"))
        #expect(parts[1].hasPrefix("\u{1B}_Gq=2,m=1;") && parts[3].hasPrefix("\u{1B}_Gq=2,m=0;"))
        let base64 = parts.map { $0.split(separator: ";").last.map(String.init) ?? "" }.joined()
        var expected: [UInt8] = []
        Base64.append(picture.bytes, to: &expected)
        #expect(base64 == String(decoding: expected, as: UTF8.self))
        #expect(parts.allSatisfy { $0.utf8.count < 4200 })
        let (tall, small) = (Self.header(10, 2000), Self.header(10, 10))
        for (header, scale) in [(tall, ",C=1,r=23,m=0;"), (small, ",C=1,m=0;")] {
            let picture = try #require(PNGPicture(Self.signature + header + Self.pixels + Self.end))
            let bytes = KittyGraphics.show(picture, size: TerminalSize(columns: 80, rows: 24))
            #expect(String(decoding: bytes, as: UTF8.self).contains(scale))
        }
    }
}

extension String {
    /// What stands before each of these ends.
    fileprivate func components(ending end: String) -> [String] {
        var (parts, rest) = ([String](), Substring(self))
        while let range = rest.firstRange(of: end) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts
    }
}
