import Testing

/// Has each test of a suite run on every engine, one after the other; what fails says on which.
package struct StoreTrait: SuiteTrait, TestTrait, TestScoping {
    fileprivate let matter: SQLiteMatter?

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A test may be of SQLite alone in a suite that is of all.
        let isOfOne = test.traits.contains { ($0 as? StoreTrait)?.matter != nil }
        for engine in isOfOne ? [.sqlite] : TestedEngine.all {
            let named = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("on \(engine.name)")
                return issue
            }
            try await named.provideScope(for: test, testCase: testCase) {
                await TestedEngine.$current.withValue(engine) { await record(function) }
            }
        }
    }

    /// Records what is thrown while it is known by which engine, and lets the next have its turn.
    private func record(_ function: @Sendable () async throws -> Void) async {
        do {
            try await function()
        } catch is ExpectationFailedError {
            // `#require` has recorded it.
        } catch {
            Issue.record(error)
        }
    }
}

extension Trait where Self == StoreTrait {
    /// Once on SQLite and, where PostgreSQL is built in and installed, once more there: each on a database of its own.
    package static var onEveryStore: Self { StoreTrait(matter: nil) }

    /// On SQLite alone.
    package static func onSQLite(_ matter: SQLiteMatter) -> Self { StoreTrait(matter: matter) }
}

/// What only SQLite can be asked, and where PostgreSQL is asked the like.
package enum SQLiteMatter: Sendable {
    /// The file, its log and its rights, what is left in it of rows that were removed, and a full disk.
    case file
    /// How it finds rows, and what that costs in steps of its machine. Of PostgreSQL: `PostgreSQLPlanTests`.
    case plans
    /// Its tables. `SchemaComparisonTests` and `ConstraintComparisonTests` hold PostgreSQL's to be the same.
    case schema
    /// What takes long and is not of the store: whether tests see planted faults, thousands of conversations made one
    /// by one.
    case cost
}
