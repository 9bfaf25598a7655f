import TestSupport
import Foundation

@testable import ParleyStore

/// A database of the last step of the schema, without a row. Hundreds of tests begin with one, and going through all steps
/// takes longer than what most of them test; the steps have tests of their own.
enum MigratedDatabase {
    /// The file, made once.
    private static let file = Result { try make() }

    static func write(to path: String) throws {
        try file.get().write(to: URL(filePath: path))
    }

    private static func make() throws -> Data {
        let directory = TemporaryDirectory.unmade()
        try directory.make()
        let path = directory.path + "/parley.db"
        // What is in the log is in the file when it is closed.
        try Store(path: path).close()
        guard !FileManager.default.fileExists(atPath: path + "-wal") else { throw NotClosedError() }
        return try Data(contentsOf: URL(filePath: path))
    }

    private struct NotClosedError: Error {}
}
