import ParleyStore

/// Where the gateway's database is kept.
package enum StoreLocation: Sendable {
    /// In the data directory, a file of SQLite.
    case file
    /// On a server.
    ///
    /// - Parameters:
    ///   - name: for the operator, without a password.
    ///   - open: connects to it, and is given what is called when the process must end.
    case server(name: String, open: @Sendable (_ onEnd: @escaping @Sendable (StoreError) -> Void) throws -> Store)

    var isFile: Bool {
        switch self {
        case .file: true
        case .server: false
        }
    }
}
