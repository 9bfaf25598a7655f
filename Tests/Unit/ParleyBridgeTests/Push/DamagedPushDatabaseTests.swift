import Logging
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("A database of pushes that cannot be used")
struct DamagedPushDatabaseTests {
    private let place = TemporaryDirectory.unmade()
    private let directory: DataDirectory

    init() throws {
        directory = DataDirectory(path: place.path)
        try directory.prepare()
    }

    private func open() throws -> PushSystem {
        try PushSystem(
            directory, Settings(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, wakeWriter: {})
    }

    @Test("it is put aside, and a new one is made: messages do not wait for it")
    func putAside() throws {
        let damaged = [UInt8](repeating: 7, count: 8192)
        try place.write(damaged, to: "push.db")
        #expect(try open().store.read { try $0.plans.lastNumber() } == 0)
        let aside = try #require(try place.names.first { $0.hasPrefix("push.db.unusable-") })
        #expect(try place.bytes(aside) == damaged)
    }

    @Test("a newer version's is refused, and left as it is")
    func newer() throws {
        try open().store.close()
        let newer = try Store(path: directory.pushDatabase, migrations: .pushes)
        try newer.write { try $0.database.run("INSERT INTO grdb_migrations VALUES ('P999')") }
        try newer.close()
        #expect(throws: StoreError.self) { try open() }
        #expect(try !place.names.contains { $0.contains("unusable") })
    }
}
