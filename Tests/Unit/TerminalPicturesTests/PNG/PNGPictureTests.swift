import TestSupport
import Testing

@testable import TerminalPictures

@Suite("PNGs to be shown")
struct PNGPictureTests {
    private static let signature = PNGFile.signature

    private static func header(_ width: Int = 1, _ height: Int = 1, _ rest: [UInt8] = [8, 6, 0, 0, 0]) -> [UInt8] {
        PNGFile.chunk("IHDR", PNGFile.bigEndian(width) + PNGFile.bigEndian(height) + rest)
    }

    private static let pixels = PNGFile.chunk("IDAT", [1, 2, 3])
    private static let end = PNGFile.chunk("IEND")

    @Test("of a PNG the pixels are passed on, and neither texts nor profiles nor what stands behind its end")
    func cleaned() throws {
        let colors = PNGFile.chunk("PLTE", [1, 2, 3])
        let transparency = PNGFile.chunk("tRNS", [5])
        let file =
            Self.signature + Self.header(640, 480) + PNGFile.chunk("iCCP", [9, 9]) + PNGFile.chunk("tEXt", [8])
            + colors + transparency + Self.pixels + Self.pixels + Self.end + Array("<script>".utf8)
        let picture = try #require(PNGPicture(file))
        let kept = Self.signature + Self.header(640, 480) + colors + transparency + Self.pixels + Self.pixels + Self.end
        #expect(picture.bytes == kept)
        #expect(picture.width == 640 && picture.height == 480)
        #expect(picture.palette == [1, 2, 3] && picture.transparency == [5])
        #expect(picture.parts.map { Array(picture.bytes[$0]) } == [[1, 2, 3], [1, 2, 3]])
    }

    /// With another length, and a checksum that is right for it.
    private static func chunk(_ name: String, length: Int) -> [UInt8] {
        PNGFile.bigEndian(length) + Array(name.utf8) + [1] + PNGFile.bigEndian(Int(PNGFile.crc32([1])))
    }

    @Test(
        "what is no PNG, is cut off, or would need a room without end is none",
        arguments: [
            [], Array("<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"x()\"/>".utf8), [0xFF, 0xD8, 0xFF, 0xE0],
            signature, signature + header(), signature + header() + pixels, signature + header() + end,
            signature + header() + pixels + end.dropLast(), signature + header(65_535, 65_535) + pixels + end,
            signature + header(0, 9) + pixels + end, signature + header(65_536, 1) + pixels + end,
            signature + header(1, 0x7FFF_FFFF) + pixels + end, signature + header(4097, 4096) + pixels + end,
            signature + header(0xFFFF_FFFF, 0xFFFF_FFFF) + pixels + end, signature + pixels + header() + end,
            signature + header() + header() + pixels + end,
            signature + header() + chunk("IDAT", length: 0x7FFF_FFFF) + end,
            signature + header() + chunk("IDAT", length: 0xFFFF_FFFF) + end,
            signature + header() + PNGFile.chunk("EVIL", [1]) + pixels + end,
            signature + header() + PNGFile.chunk("\u{1B}[2J", [1]) + pixels + end,
            signature + PNGFile.chunk("IHDR", PNGFile.bigEndian(1) + PNGFile.bigEndian(1)) + pixels + end,
            signature + header() + pixels + end.dropLast(4) + [0, 0, 0, 0],
            signature + header(1, 1, [8, 3, 0, 0, 0]) + pixels + end,
            signature + header() + pixels + PNGFile.chunk("PLTE", [1, 2, 3]) + end,
            signature + header() + PNGFile.chunk("PLTE", [1, 2]) + pixels + end,
            signature + header() + PNGFile.chunk("PLTE", [UInt8](repeating: 0, count: 771)) + pixels + end,
            [UInt8](repeating: 0x89, count: PNGPicture.longest + 1),
        ] as [[UInt8]])
    func refused(file: [UInt8]) {
        #expect(PNGPicture(file) == nil)
    }

    @Test("of all kinds of pixels there are those of the specification, and no others")
    func kinds() {
        let known: [UInt8: [UInt8]] = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
        for color in UInt8(0)...9 {
            for depth in UInt8(0)...33 {
                let header = Self.header(1, 1, [depth, color, 0, 0, 0])
                let file = Self.signature + header + PNGFile.chunk("PLTE", [1, 2, 3]) + Self.pixels + Self.end
                #expect((PNGPicture(file) != nil) == (known[color]?.contains(depth) ?? false), "\(color), \(depth)")
            }
        }
        for rest in [[8, 6, 1, 0, 0], [8, 6, 0, 1, 0], [8, 6, 0, 0, 2]] as [[UInt8]] {
            #expect(PNGPicture(Self.signature + Self.header(1, 1, rest) + Self.pixels + Self.end) == nil)
        }
    }
}
