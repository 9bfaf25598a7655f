import ParleyProtocol
import Sodium

/// The parts of which names of files and objects are made: lower-case hexadecimal digits of ids and of digests. None
/// of it is a client's text.
enum BlobNames {
    static func hex(_ id: BlobID) -> String { hex(id.value.bytes[...]) }

    /// The id in the name of a blob or an upload; `nil` for a foreign name.
    static func id(in name: some StringProtocol) -> BlobID? {
        let digits = Array(name.utf8.prefix { $0 != UInt8(ascii: "-") })
        guard digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            guard let high = digit(digits[index]), let low = digit(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return BlobID(bytes: bytes)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The beginning of the SHA-512 digest of a user's id.
    static func hex(of user: UserID) -> String { hex(SHA512.hash(Array(user.text.utf8).span)[..<16]) }
}
