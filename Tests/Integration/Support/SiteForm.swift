import Foundation
import TestSupport
import Testing

#if POSTGRESQL_STORE
    import PostgreSQL
    import PostgreSQLServer
#endif

/// What stands where a test starts a gateway: one machine, or what `scripts/test-site.sh` asks for by
/// `PARLEY_TEST_SITE`.
enum SiteForm: String {
    case machine
    /// Two cells over one PostgreSQL. Each device that connects goes to the other one than that before it.
    case cells
    /// The same behind HAProxy, which sends a user to one of them by the name.
    case haproxy

    static let current: SiteForm = {
        let name = "PARLEY_TEST_SITE"
        guard let wanted = ProcessInfo.processInfo.environment[name] else { return .machine }
        guard let form = SiteForm(rawValue: wanted) else {
            fatalError("\(name) is \(wanted), and can only be \"cells\", \"haproxy\" or \"machine\"")
        }
        #if !POSTGRESQL_STORE
            if form.hasCells { fatalError("\(name) needs tests that were built with PARLEY_POSTGRESQL_STORE=yes") }
        #endif
        return form
    }()

    var hasCells: Bool { self != .machine }
}

/// Why a test has no meaning where a gateway is two cells.
enum OneMachineReason: String {
    case databaseFile = "it is about the file that the database is on one machine"
    case balancer = "HAProxy takes connections also while no gateway is there"
    case connection = "a device's connection ends there when its cell's gateway is away for seconds"
    case oneBroker = "it is about one broker and its gateway"
    case ownCell = "a cell publishes and counts only what concerns somebody there"
    case order = "what other cells publish comes later than the reply by which it knows that all has come"
    case clock = "the gateway runs in the test's process, whose clock the test moves"

    /// Whether the test is passed over in a form of the test run.
    func holds(in form: SiteForm) -> Bool {
        switch self {
        case .balancer: form == .haproxy
        case .databaseFile, .connection, .oneBroker, .ownCell, .order, .clock: form.hasCells
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For a test that is about one machine: it is skipped, and counted as such, where a gateway is two cells.
    static func oneMachine(_ reason: OneMachineReason) -> Self {
        .disabled(if: reason.holds(in: .current), Comment(rawValue: reason.rawValue))
    }
}

/// The database of the cells of a gateway, on the one server of the test run.
struct SiteDatabase: Sendable {
    #if POSTGRESQL_STORE
        private let database: TestDatabase

        init() throws { database = try PostgreSQLServer.sharedDurable().database() }

        var uri: String { database.uri }

        /// Changes something while no cell runs.
        func change(_ statement: String) throws {
            let connection = try database.connect()
            defer { connection.close() }
            try connection.execute("SET search_path TO parley; \(statement)")
        }
    #else
        init() throws {}

        var uri: String { "" }
        func change(_ statement: String) throws {}
    #endif
}
