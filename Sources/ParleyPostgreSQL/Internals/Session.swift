import ParleyStore
import PostgreSQL

/// A connection, set up for the gateway's statements.
final class Session {
    let connection: PostgreSQLConnection
    var texts = StatementTexts()
    private var lastUse = ContinuousClock.now
    private var plannedAt = ContinuousClock.now

    init(_ settings: PostgreSQLSettings, _ purpose: Purpose) throws(PostgreSQLError) {
        connection = try PostgreSQLConnection(settings)
        try connection.execute((Session.setUp + purpose.limits).joined(separator: ";\n"))
    }

    enum Purpose {
        case writing
        /// A snapshot of all audiences takes its time, and nobody waits for what it locks.
        case reading

        fileprivate var limits: [String] {
            switch self {
            case .writing: ["SET statement_timeout TO '20s'", "SET idle_in_transaction_session_timeout TO '2s'"]
            case .reading: ["SET statement_timeout TO '120s'", "SET idle_in_transaction_session_timeout TO '60s'"]
            }
        }
    }

    /// Whoever waits for a row gives up after a while. A transaction that was left open is ended: the process may stand
    /// still, or be cut off, and others wait for its rows. Sooner than they give up, and before the lease of its cell
    /// is over.
    private static let setUp =
        [PostgreSQLMigrations.searchPath] + PlannerSettings.statements + [
            "SET synchronous_commit TO on", "SET default_transaction_isolation TO 'read committed'",
            "SET lock_timeout TO '5s'",
        ] + lostClients

    /// What the server does about a process that is cut off, or reads nothing any more: else it would hold for hours
    /// what was locked for it, and what it was to be notified of. In seconds, and milliseconds.
    static let lostClients = [
        "SET tcp_keepalives_idle TO 5", "SET tcp_keepalives_interval TO 5", "SET tcp_keepalives_count TO 3",
        "SET tcp_user_timeout TO 20000",
    ]

    /// See `PlannerSettings.renewal`.
    private static let planInterval = Duration.seconds(60)

    /// Has plans made anew now and then.
    func renewPlans() throws(PostgreSQLError) {
        guard plannedAt.duration(to: .now) > Session.planInterval else { return }
        try connection.execute(PlannerSettings.renewal)
        plannedAt = .now
    }

    /// After so long the server may have gone without a word: it is asked before anything depends on it.
    private static let restLimit = Duration.seconds(2)

    /// Whether the connection can still be used.
    func isAlive() -> Bool {
        guard connection.isOpen else { return false }
        guard lastUse.duration(to: .now) > Session.restLimit else { return true }
        return (try? connection.query("SELECT 1")) != nil
    }

    /// Nothing is under way on the connection any more.
    func recordUse() { lastUse = .now }

    /// Ends a transaction without a trace of it.
    func rollBack() {
        do throws(PostgreSQLError) {
            // What the transaction failed by was thrown before.
            do throws(PostgreSQLError) { try connection.sync() } catch { guard connection.isOpen else { return } }
            try connection.execute("ROLLBACK")
        } catch { connection.close() }
    }
}
