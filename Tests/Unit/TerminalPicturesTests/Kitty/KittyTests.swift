import ParleyProtocol
import TestSupport
import Testing

@testable import TerminalPictures

@Suite("Pictures for kitty's protocol")
struct KittyTests {
    private static let room = PictureRoom(columns: 80, rows: 23, cell: .usual)

    private func picture(_ width: Int, _ height: Int, _ content: [UInt8]) throws -> PNGPicture {
        let file = PNGFile(width: width, height: height) { _, _ in [] }
        return try #require(PNGPicture(file.bytes(stream: content)))
    }

    @Test("a picture goes to the terminal as base64 in parts, scaled to the screen, and nothing is to be answered")
    func graphics() throws {
        let picture = try picture(2000, 100, (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let text = String(decoding: KittyGraphics.show(picture, in: Self.room), as: UTF8.self)
        let parts = text.components(ending: "\u{1B}\\")
        #expect(parts.count == 4)
        #expect(parts[0].hasPrefix("\u{1B}_Ga=T,f=100,q=2,C=1,c=80,m=1;"))
        #expect(parts[1].hasPrefix("\u{1B}_Gq=2,m=1;") && parts[3].hasPrefix("\u{1B}_Gq=2,m=0;"))
        let base64 = parts.map { $0.split(separator: ";").last.map(String.init) ?? "" }.joined()
        var expected: [UInt8] = []
        Base64.append(picture.bytes, to: &expected)
        #expect(base64 == String(decoding: expected, as: UTF8.self))
        #expect(parts.allSatisfy { $0.utf8.count < 4200 })
    }

    @Test("it is bound by the side that is too long, and not enlarged")
    func scale() throws {
        for (width, height, scale) in [(10, 2000, ",C=1,r=23,m=0;"), (10, 10, ",C=1,m=0;"), (641, 1, ",C=1,c=80,m=0;")]
        {
            let bytes = KittyGraphics.show(try picture(width, height, [1, 2, 3]), in: Self.room)
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
