import ParleyClient

/// A PNG that a terminal is given: the chunks that make its pixels, and no others (PNG, third edition, §5).
///
/// A terminal decodes it with a library of its own, so nothing is passed on that a picture does not need: no compressed
/// texts or profiles, no bytes behind its end, no more pixels than a screen can use. Nothing is decoded here.
struct PNGPicture: Hashable, Sendable {
    let bytes: [UInt8]
    let width: Int
    let height: Int

    /// In bytes of the file.
    static let longest = 16 << 20
    /// What a terminal makes of it takes four bytes for each.
    static let mostPixels = 16_777_216

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let kept = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]

    /// - Returns: `nil` for what is no PNG, one that is cut off, and one that is too large.
    init?(_ file: [UInt8]) {
        guard file.count <= PNGPicture.longest, let header = ImageHeader(file), header.kind == .png,
            let width = header.width, let height = header.height, width * height <= PNGPicture.mostPixels
        else { return nil }
        var bytes = PNGPicture.signature
        var offset = bytes.count
        var names: [String] = []
        while names.last != "IEND" {
            guard let chunk = PNGPicture.chunk(at: offset, of: file) else { return nil }
            if PNGPicture.kept.contains(chunk.name) {
                bytes += file[offset..<chunk.end]
                names.append(chunk.name)
            } else if chunk.isCritical {
                return nil
            }
            offset = chunk.end
        }
        guard PNGPicture.isInOrder(names) else { return nil }
        (self.bytes, self.width, self.height) = (bytes, width, height)
    }

    /// One header of 13 bytes at the beginning, and pixels.
    private static func isInOrder(_ names: [String]) -> Bool {
        names.first == "IHDR" && names.count { $0 == "IHDR" } == 1 && names.count { $0 == "PLTE" } <= 1
            && names.contains("IDAT")
    }

    private static func chunk(at offset: Int, of file: [UInt8]) -> (name: String, isCritical: Bool, end: Int)? {
        guard offset <= file.count - 12 else { return nil }
        let length = file[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
        let name = file[(offset + 4)..<(offset + 8)]
        guard length <= file.count - offset - 12, name.allSatisfy({ isLetter($0) }) else { return nil }
        if offset == signature.count, length != 13 { return nil }
        return (String(decoding: name, as: UTF8.self), (name.first ?? 0) & 0x20 == 0, offset + 12 + length)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
    }
}
