import Zlib

/// A PNG that is shown: the chunks that make its pixels, and no others (PNG, third edition, §5).
///
/// Whoever decodes it, a terminal with a library of its own or ``PNGRows``, is given nothing that a picture does not
/// need: no compressed texts or profiles, no bytes behind its end, no more pixels than a screen can use.
package struct PNGPicture: Hashable, Sendable {
    package let bytes: [UInt8]
    let header: PNGHeader
    /// Three bytes a color; empty without a palette.
    let palette: [UInt8]
    /// The content of `tRNS`; empty without one.
    let transparency: [UInt8]
    /// Where in the bytes the parts of the compressed pixels are.
    let parts: [Range<Int>]

    package var width: Int { header.width }
    package var height: Int { header.height }

    /// In bytes of the file.
    package static let longest = 16 << 20
    /// What a terminal makes of it takes four bytes for each.
    static let mostPixels = 16_777_216

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// - Returns: `nil` for what is no PNG, one that is cut off or damaged, and one that is too large.
    package init?(_ file: [UInt8]) {
        guard file.count <= PNGPicture.longest, file.starts(with: PNGPicture.signature) else { return nil }
        var bytes = PNGPicture.signature
        var parts: [Range<Int>] = []
        var (header, palette, transparency) = (PNGHeader?.none, [UInt8](), [UInt8]())
        var offset = bytes.count
        while true {
            guard let chunk = Chunk(file, at: offset) else { return nil }
            // The first is the header, which stands nowhere else.
            guard (chunk.name == "IHDR") == (header == nil) else { return nil }
            let contentStart = bytes.count + Chunk.contentOffset
            switch chunk.name {
            case "IHDR":
                guard let read = PNGHeader(chunk.content) else { return nil }
                header = read
            case "PLTE":
                guard parts.isEmpty, palette.isEmpty, (3...768).contains(chunk.content.count),
                    chunk.content.count.isMultiple(of: 3)
                else { return nil }
                palette = Array(chunk.content)
            case "tRNS":
                guard parts.isEmpty, chunk.content.count <= 256 else { return nil }
                transparency = Array(chunk.content)
            case "IDAT": parts.append(contentStart..<(contentStart + chunk.content.count))
            case "IEND": break
            default:
                guard !chunk.isCritical else { return nil }
                offset = chunk.end
                continue
            }
            bytes += file[offset..<chunk.end]
            offset = chunk.end
            if chunk.name == "IEND" { break }
        }
        guard let header, !parts.isEmpty, header.color != .palette || !palette.isEmpty else { return nil }
        (self.bytes, self.header, self.palette) = (bytes, header, palette)
        (self.transparency, self.parts) = (transparency, parts)
    }

    /// A part of the file, whose checksum is right (§5.3).
    private struct Chunk {
        let name: String
        let content: ArraySlice<UInt8>
        let end: Int

        /// Behind its length and name.
        static let contentOffset = 8

        /// Whether a decoder that does not know it cannot show the picture.
        var isCritical: Bool { name.utf8.first.map { $0 & 0x20 == 0 } ?? true }

        init?(_ file: [UInt8], at start: Int) {
            guard start <= file.count - 12 else { return nil }
            let length = file[start..<(start + 4)].bigEndian
            let name = file[(start + 4)..<(start + 8)]
            guard length <= file.count - start - 12, name.allSatisfy({ Chunk.isLetter($0) }) else { return nil }
            end = start + 12 + length
            let checksum = file[(end - 4)..<end].bigEndian
            guard checksum == Int(CRC32.of(file[(start + 4)..<(end - 4)])) else { return nil }
            content = file[(start + Chunk.contentOffset)..<(end - 4)]
            self.name = String(decoding: name, as: UTF8.self)
        }

        private static func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
        }
    }
}
