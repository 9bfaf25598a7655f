import ParleyStore
import PostgreSQL

/// A connection, set up for the gateway's statements.
final class Session {
    let connection: PostgreSQLConnection
    var texts = StatementTexts()
    private var lastUse = ContinuousClock.now

    init(_ settings: PostgreSQLSettings) throws(PostgreSQLError) {
        connection = try PostgreSQLConnection(settings)
        try connection.execute(Session.setUp)
    }

    /// - A statement is planned once and its plan kept. Every one of the gateway's finds its rows by an index and goes
    ///   through few of them. Without statistics PostgreSQL would read whole tables for a join: that is ruled out.
    /// - Whoever waits for a row gives up after a while; a transaction that was left open is ended.
    private static let setUp = """
        \(PostgreSQLMigrations.searchPath);
        SET plan_cache_mode = force_generic_plan; SET jit = off;
        SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off;
        SET synchronous_commit = on; SET default_transaction_isolation = 'read committed';
        SET lock_timeout = '5s'; SET statement_timeout = '20s'; SET idle_in_transaction_session_timeout = '30s'
        """

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
