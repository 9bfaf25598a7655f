import Foundation
import Logging
import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// With a database file in the place of the server's.
@Suite("A database that is moved", .ownThreads)
struct DatabaseMoveTests {
    private let place: TemporaryDirectory
    private var directory: DataDirectory { DataDirectory(path: place.path) }
    private var server: String { place.path + "/server.db" }

    private struct Killed: Error {}

    init() throws {
        place = try TemporaryDirectory()
        try start()
        let store = try Store(path: directory.database)
        try store.write { transaction in
            try transaction.users.insert("alice", role: .member, displayName: "Alice", at: at(0))
        }
        try store.close()
    }

    /// A start of the gateway on the file.
    ///
    /// - Returns: whether the database is found to be put back.
    @discardableResult
    private func start() throws -> Bool {
        let store = try Store(path: directory.database)
        defer { try? store.close() }
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try DatabaseContinuity.begin(store, in: directory, logger: quiet).isPutBack
    }

    private func export() throws {
        let target = try Store(path: server)
        defer { try? target.close() }
        _ = try DatabaseMove(directory).export(to: target)
    }

    private func importBack(reached: @escaping (DatabaseMove.Step) throws -> Void = { _ in }) throws {
        let source = try Store(path: server)
        defer { try? source.close() }
        _ = try DatabaseMove(directory, reached: reached).importDatabase(from: source)
    }

    @Test("a file that is there stays there")
    func existingFile() throws {
        try export()
        #expect { try importBack() } throws: { "\($0)".contains("parley.db exists: move") }
        try FileManager.default.removeItem(atPath: directory.database)
        try Data([1]).write(to: URL(filePath: directory.database + "-wal"))
        #expect { try importBack() } throws: { "\($0)".contains("parley.db-wal exists: move") }
    }

    @Test("a directory without a database is named")
    func noDatabase() throws {
        try FileManager.default.removeItem(atPath: directory.database)
        #expect { try export() } throws: { "\($0)".contains("there is no database in") }
    }

    @Test(
        "killed at the end, it is repeated, and the gateway finds its own database",
        arguments: [
            DatabaseMove.Step.transfer(.begun), .transfer(.compared), .transfer(.finished), .closed, .witnessWritten,
        ])
    func killed(_ step: DatabaseMove.Step) throws {
        try export()
        try FileManager.default.removeItem(atPath: directory.database)
        #expect(throws: Killed.self) { try importBack { if $0 == step { throw Killed() } } }
        #expect(!FileManager.default.fileExists(atPath: directory.database))
        try importBack()
        #expect(try !start())
        #expect(try Store(path: directory.database).read { try $0.users.summary("alice") } != nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        #expect(!names.contains { $0.contains("importing") })
    }

    @Test("a gateway's start on what was copied ends the copy's repeats")
    func startedMeanwhile() throws {
        try export()
        try export()
        let store = try Store(path: server)
        try store.write { try $0.continuity.setInstance("next") }
        try store.close()
        #expect(throws: TransferError.notEmpty(table: "users")) { try export() }
    }
}
