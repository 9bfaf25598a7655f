import ParleyProtocol
import Synchronization
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

/// That suites which are marked run on both engines.
@Suite("Tests on every store", .enabled(if: PostgreSQL.isExpected, "PostgreSQL is not installed"))
struct EveryStoreTests {
    @Test("a test runs once on each engine, on a database without rows, and what fails says on which")
    func runsOnEachEngine() async throws {
        let test = try #require(Test.current)
        let said = Mutex<[String]>([])
        let hearing = IssueHandlingTrait.compactMapIssues { issue in
            said.withLock { $0 += issue.comments.map(\.rawValue) }
            return nil
        }
        for _ in 0..<2 {
            try await hearing.provideScope(for: test, testCase: nil) {
                try await StoreTrait.onEveryStore.provideScope(for: test, testCase: nil) {
                    let database = try TestedEngine.makeDatabase()
                    let store = try database.open()
                    Issue.record("\(try store.text("SELECT count(*) FROM users") ?? "none")")
                    try store.write { try $0.insertPeople(["alice"]) }
                    throw StoreError.full
                }
            }
        }
        let each = ["SQLite", "PostgreSQL"].flatMap { ["0", "on \($0)", "on \($0)"] }
        #expect(said.withLock { $0 } == each + each)
    }

    @Test("a suite that is not marked has no store")
    func unmarkedHasNone() {
        #expect(throws: (any Error).self) { try TestedEngine.makeDatabase() }
    }
}
