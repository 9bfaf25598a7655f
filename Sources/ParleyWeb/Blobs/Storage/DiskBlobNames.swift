import ParleyProtocol
import PrivateFiles

/// The names of a store's files. They are lower-case hexadecimal digits of ids and of digests: nothing of them is a
/// client's text.
///
/// - `incoming/AA/BB/ID-MAKER`: an upload. AA and BB are the last bytes of the blob's id, which are random in all
///   versions of UUIDs that begin with a time. MAKER is a digest of the user's id.
/// - `complete/AA/BB/ID`: a complete blob.
/// - `unknown/ID`: an empty file; its time is when the gateway did not know this blob first.
struct DiskBlobNames: Sendable {
    let root: String

    var incoming: String { "\(root)/incoming" }
    var complete: String { "\(root)/complete" }
    var unknown: String { "\(root)/unknown" }

    func path(of upload: BlobUpload) -> String {
        "\(folder(of: upload.id, in: incoming))/\(BlobNames.hex(upload.id))-\(BlobNames.hex(of: upload.maker))"
    }

    func path(of id: BlobID) -> String { "\(folder(of: id, in: complete))/\(BlobNames.hex(id))" }

    /// - Parameter directory: ``incoming`` or ``complete``.
    func folder(of id: BlobID, in directory: String) -> String {
        let (first, second) = DiskBlobNames.folders(of: id)
        return "\(directory)/\(first)/\(second)"
    }

    /// Makes the folder of a blob in ``incoming`` or ``complete``.
    func makeFolder(of id: BlobID, in directory: String) throws(FileError) {
        let (first, second) = DiskBlobNames.folders(of: id)
        try Files.makePrivateDirectory(first, in: directory)
        try Files.makePrivateDirectory(second, in: "\(directory)/\(first)")
    }

    static func folders(of id: BlobID) -> (String, String) {
        let bytes = id.value.bytes
        return (BlobNames.hex(bytes[14..<15]), BlobNames.hex(bytes[15..<16]))
    }
}
