/// What a picture is by its first bytes, whatever its name and its sender say. Nothing is decoded.
public struct ImageHeader: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case gif = "image/gif"
        case webP = "image/webp"
    }

    public let kind: Kind
    /// In pixels; `nil` where the bytes do not say, or say what no picture has.
    public let width: Int?
    public let height: Int?

    /// How many of a file's first bytes it needs; a JPEG whose size stands further behind has none.
    public static let length = 65_536
    /// The greatest width and height that are believed.
    public static let longestSide = 65_535

    /// - Returns: `nil` for what is no PNG, JPEG, GIF or WebP.
    public init?(_ bytes: [UInt8]) {
        let reader = HeaderReader(bytes: bytes)
        let size: (Int, Int)?
        if reader.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
            kind = .png
            size = reader.has(Array("IHDR".utf8), at: 12) ? reader.pair(16, 20) { $0.big($1, 4) } : nil
        } else if reader.has([0xFF, 0xD8, 0xFF], at: 0) {
            kind = .jpeg
            size = reader.jpegSize
        } else if reader.has(Array("GIF87a".utf8), at: 0) || reader.has(Array("GIF89a".utf8), at: 0) {
            kind = .gif
            size = reader.pair(6, 8) { $0.little($1, 2) }
        } else if reader.has(Array("RIFF".utf8), at: 0), reader.has(Array("WEBP".utf8), at: 8) {
            kind = .webP
            size = reader.webPSize
        } else {
            return nil
        }
        let sides = 1...ImageHeader.longestSide
        if let size, sides.contains(size.0), sides.contains(size.1) {
            (width, height) = size
        } else {
            (width, height) = (nil, nil)
        }
    }
}

private struct HeaderReader {
    let bytes: [UInt8]

    func has(_ part: [UInt8], at offset: Int) -> Bool {
        offset + part.count <= bytes.count && bytes[offset..<(offset + part.count)].elementsEqual(part)
    }

    func big(_ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        return bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
    }

    func little(_ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        return bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func pair(_ first: Int, _ second: Int, _ read: (HeaderReader, Int) -> Int?) -> (Int, Int)? {
        guard let first = read(self, first), let second = read(self, second) else { return nil }
        return (first, second)
    }

    /// The size in the first start-of-frame segment (ITU T.81 B.2.2). Each step goes forward by two bytes at least.
    var jpegSize: (Int, Int)? {
        var offset = 2
        while let marker = big(offset, 2), marker >> 8 == 0xFF {
            let code = marker & 0xFF
            if code == 0xFF {
                offset += 1
                continue
            }
            if (0xC0...0xCF).contains(code), ![0xC4, 0xC8, 0xCC].contains(code) {
                return pair(offset + 7, offset + 5) { $0.big($1, 2) }
            }
            guard code != 0xD9, code != 0xDA, let length = big(offset + 2, 2), length >= 2 else { return nil }
            offset += 2 + length
        }
        return nil
    }

    /// RFC 9649 §2.5 to §2.7
    var webPSize: (Int, Int)? {
        if has(Array("VP8X".utf8), at: 12) { return pair(24, 27) { $0.little($1, 3).map { $0 + 1 } } }
        if has(Array("VP8L".utf8), at: 12), has([0x2F], at: 20), let bits = little(21, 4) {
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        if has(Array("VP8 ".utf8), at: 12), has([0x9D, 0x01, 0x2A], at: 23) {
            return pair(26, 28) { $0.little($1, 2).map { $0 & 0x3FFF } }
        }
        return nil
    }
}
