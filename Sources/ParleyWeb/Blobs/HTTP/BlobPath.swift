import ParleyProtocol

/// A path of blobs. `POST` to `blobs/create` and others of that form are operations like all others.
enum BlobPath: Hashable, Sendable {
    /// Where uploads are created.
    case uploads
    case blob(BlobID)

    static let base = "/api/v1/blobs"

    /// - Parameter target: path and query of the request, as received.
    init?(_ target: String) {
        let path = target.prefix { $0 != "?" }
        guard path.hasPrefix(BlobPath.base) else { return nil }
        let rest = path.dropFirst(BlobPath.base.count)
        if rest.isEmpty {
            self = .uploads
        } else if rest.first == "/", let id = BlobID(String(rest.dropFirst())) {
            self = .blob(id)
        } else {
            return nil
        }
    }

    /// The address of a blob, relative to the door's.
    static func path(of id: BlobID) -> String { "\(base)/\(id)" }
}
