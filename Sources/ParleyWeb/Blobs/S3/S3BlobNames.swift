import ParleyProtocol

/// The names of a store's objects.
///
/// - `incoming/ID-MAKER/00000`: an upload, empty. MAKER is a digest of the user's id.
/// - `incoming/ID-MAKER/00001` and so on: its parts. All but the last are full.
/// - `complete/ID`: a complete blob.
/// - `unknown/ID`: empty; its time is when the gateway did not know this blob first.
enum S3BlobNames {
    static let incoming = "incoming/"
    static let complete = "complete/"
    static let unknown = "unknown/"

    /// Of all uploads of a blob.
    static func uploads(of id: BlobID) -> String { "\(incoming)\(BlobNames.hex(id))-" }

    static func upload(_ upload: BlobUpload) -> String {
        "\(uploads(of: upload.id))\(BlobNames.hex(of: upload.maker))/"
    }

    static func part(_ number: Int, of upload: BlobUpload) -> String {
        let digits = String(number)
        return self.upload(upload) + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }

    static func complete(_ id: BlobID) -> String { complete + BlobNames.hex(id) }
    static func unknown(_ id: BlobID) -> String { unknown + BlobNames.hex(id) }

    /// The id in a name of `complete/` or `unknown/`.
    static func id(in name: String) -> BlobID? {
        name.lastIndex(of: "/").flatMap { BlobNames.id(in: name[name.index(after: $0)...]) }
    }
}
