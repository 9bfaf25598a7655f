import OpenSSL
import ParleyProtocol

/// The names of a store's files. They are lower-case hexadecimal digits of ids and of digests: nothing of them is a
/// client's text.
///
/// - `incoming/ID-MAKER`: an upload. MAKER is a digest of the user's id.
/// - `complete/AA/BB/ID`: a complete blob. AA and BB are the last bytes of its id, which are random in all versions of
///   UUIDs that begin with a time.
/// - `unknown/ID`: an empty file; its time is when the gateway did not know this blob first.
struct DiskBlobNames: Sendable {
    let root: String

    var incoming: String { "\(root)/incoming" }
    var complete: String { "\(root)/complete" }
    var unknown: String { "\(root)/unknown" }

    func path(of upload: BlobUpload) -> String {
        "\(incoming)/\(DiskBlobNames.hex(upload.id))-\(DiskBlobNames.hex(of: upload.maker))"
    }

    func path(of id: BlobID) -> String {
        let (first, second) = DiskBlobNames.folders(of: id)
        return "\(complete)/\(first)/\(second)/\(DiskBlobNames.hex(id))"
    }

    static func hex(_ id: BlobID) -> String { hex(id.value.bytes[...]) }

    static func folders(of id: BlobID) -> (String, String) {
        let bytes = id.value.bytes
        return (hex(bytes[14..<15]), hex(bytes[15..<16]))
    }

    /// The id in the name of a blob or an upload; `nil` for a foreign file's.
    static func id(in name: String) -> BlobID? {
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

    private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hex(of user: UserID) -> String {
        let text = Array(user.text.utf8)
        guard var hash = try? SHA256.begin(), (try? hash.update(text.span)) != nil, let digest = try? hash.finish()
        else { return "0" }
        return hex(digest[..<16])
    }
}
