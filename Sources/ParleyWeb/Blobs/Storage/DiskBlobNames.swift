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
        "\(incoming)/\(BlobNames.hex(upload.id))-\(BlobNames.hex(of: upload.maker))"
    }

    func path(of id: BlobID) -> String {
        let (first, second) = DiskBlobNames.folders(of: id)
        return "\(complete)/\(first)/\(second)/\(BlobNames.hex(id))"
    }

    static func folders(of id: BlobID) -> (String, String) {
        let bytes = id.value.bytes
        return (BlobNames.hex(bytes[14..<15]), BlobNames.hex(bytes[15..<16]))
    }
}
