import ParleyStore
import TestSupport

/// An engine that keeps a gateway's database, for tests that hold of every one.
package struct TestedEngine: Sendable {
    package let name: String
    /// Whether it is a network away, and not a file.
    package let isRemote: Bool
    private let make: @Sendable () throws -> any TestedDatabase

    /// The one that the test at hand runs on; see `StoreTrait`.
    @TaskLocal package static var current: TestedEngine?

    package static let sqlite = TestedEngine(name: "SQLite", isRemote: false) { try SQLiteDatabase() }

    init(name: String, isRemote: Bool, make: @escaping @Sendable () throws -> any TestedDatabase) {
        (self.name, self.isRemote, self.make) = (name, isRemote, make)
    }

    /// Those that are built in and installed.
    static let all: [TestedEngine] = {
        #if POSTGRESQL_STORE
            [sqlite] + PostgreSQLDatabase.engines
        #else
            [sqlite]
        #endif
    }()

    /// A new database for the test at hand.
    package static func makeDatabase() throws -> any TestedDatabase {
        guard let current else { throw UnmarkedSuiteError() }
        return try current.make()
    }

    /// The same for fixtures that make files in a way of their own: `nil` where a file is asked for, or nothing is.
    package static func makeRemoteDatabase() throws -> (any TestedDatabase)? {
        guard let current, current.isRemote else { return nil }
        return try current.make()
    }

    /// Whether there is an engine whose databases several gateways share.
    package static var hasCells: Bool { all.contains { $0.isRemote } }

    /// A new database that several gateways share; see `hasCells`.
    package static func makeSharedDatabase() throws -> any SharedDatabase {
        guard let shared = try all.first(where: \.isRemote)?.make() as? any SharedDatabase else {
            throw NoCellsError()
        }
        return shared
    }

    private struct NoCellsError: Error, CustomStringConvertible {
        let description = "enable the test if there are cells"
    }

    private struct UnmarkedSuiteError: Error, CustomStringConvertible {
        let description = "mark the suite .onEveryStore, or .onSQLite with the reason"
    }
}

/// A gateway's database of a test's own, at first without a row; gone with the value.
package protocol TestedDatabase: Sendable {
    /// Opens it, also as a process does that comes after another.
    func open() throws -> Store
}

/// One that several gateways share, each as a cell.
package protocol SharedDatabase: TestedDatabase {
    func open(cell: String) throws -> Store
}

extension String {
    /// A statement of a test with the column `user` quoted: PostgreSQL has a function of that name.
    package var quotingUser: String { replacing(/"?\buser\b"?/, with: #""user""#) }
}

/// A database file.
package struct SQLiteDatabase: TestedDatabase {
    package let directory: TemporaryDirectory

    package init() throws { directory = try TemporaryDirectory() }

    package var path: String { directory.path + "/parley.db" }

    package func open() throws -> Store { try Store(path: path) }
}
