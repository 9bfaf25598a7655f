import TestSupport
import Foundation

@testable import ParleyStore

/// A database of the last step of the schema, without a row. Hundreds of tests begin with one, and going through all
/// steps takes longer than what most of them test; the steps have tests of their own.
enum MigratedDatabase {
    /// The files, made once.
    private static let main = Result { try make { try Store(path: $0).close() } }
    private static let pushes = Result { try make { try PushStore(path: $0).close() } }

    static func write(to path: String) throws { try main.get().write(to: URL(filePath: path)) }

    /// That of pushes.
    static func writePushes(to path: String) throws { try pushes.get().write(to: URL(filePath: path)) }

    private static func make(_ open: (String) throws -> Void) throws -> Data {
        let directory = TemporaryDirectory.unmade()
        try directory.make()
        let path = directory.path + "/any.db"
        // What is in the log is in the file when it is closed.
        try open(path)
        guard !FileManager.default.fileExists(atPath: path + "-wal") else { throw NotClosedError() }
        return try Data(contentsOf: URL(filePath: path))
    }

    private struct NotClosedError: Error {}
}
