/// One connection to a server, from its beginning to its end, in libpq's pipeline mode: statements are sent without
/// waiting for what became of those before.
///
/// It belongs to the thread that uses it and starts none. It is never connected again: what was prepared, listened to
/// or locked would be gone. Make a new one.
///
/// ```swift
/// try connection.send("BEGIN")
/// let rows = try connection.query("SELECT … WHERE id = $1 FOR NO KEY UPDATE", [.integer(key)])
/// try connection.send("INSERT …", [.integer(key), .bytes(content)])   // Leaves with what follows.
/// try connection.send("COMMIT")
/// try connection.sync()   // Only now it is committed. Or the first failure of these is thrown.
/// ```
///
/// What is sent between two points of synchronization (``query(_:_:)``, ``sync()``, ``execute(_:)``) fails as a whole:
/// behind the first failure the server skips everything, COMMIT too. Without a BEGIN it is a transaction of its own.
package final class PostgreSQLConnection {
    private enum State {
        case open(ConnectionHandle)
        case broken(reason: String)
    }

    private var state: State
    /// How long each call may wait for the server; then the connection is broken.
    package var timeLimit = Duration.seconds(30)
    /// The server's process, by which its statistics and notifications name this connection.
    package let process: Int32
    /// 150004 for PostgreSQL 15.4.
    package let serverVersion: Int
    package let isEncrypted: Bool
    /// For other threads, as long as they like.
    package let canceller: PostgreSQLCanceller

    var statements: StatementCache
    var pending = PendingReplies()
    var parameters = ParameterBuffer()
    /// The first failure since the last point of synchronization.
    var failure: PostgreSQLError?
    /// How many bytes were queued since the last flush.
    var unflushedBytes = 0
    /// Whether a BEGIN was sent, and no end of it.
    var isInTransaction = false
    /// The types beneath domains, by the domains' numbers; `nil` for one that is not supported.
    var domains: [UInt32: ParameterType?] = [:]

    /// Connects, and waits for it.
    ///
    /// - Parameter statementLimit: how many statements stay prepared.
    /// - Throws: an error listed under connecting in ``PostgreSQLError``; of several servers, all their reasons.
    package init(_ settings: PostgreSQLSettings, statementLimit: Int = 1000) throws(PostgreSQLError) {
        let handle = try ConnectionHandle.connect(settings)
        try handle.setNonBlocking()
        try handle.enterPipeline()
        state = .open(handle)
        process = handle.process
        serverVersion = handle.serverVersion
        isEncrypted = handle.isEncrypted
        canceller = PostgreSQLCanceller(handle: try handle.makeCanceller())
        statements = StatementCache(limit: statementLimit)
    }

    /// Ends the connection; the server rolls back what is open.
    package func close() { _ = breakUp(.broken(reason: "it was closed here")) }

    /// Whether it can still be used, as far as is known without asking the server.
    package var isOpen: Bool {
        switch state {
        case .open: true
        case .broken: false
        }
    }

    /// For a loop's `poll`: readable when ``notifications(until:)`` has something to read, or the end. -1 when broken.
    package var fileDescriptor: Int32 {
        switch state {
        case .open(let handle): handle.socket
        case .broken: -1
        }
    }

    /// As of the last point of synchronization.
    package var transaction: TransactionStatus {
        switch state {
        case .open(let handle): handle.transaction
        case .broken: .unknown
        }
    }

    func openHandle() throws(PostgreSQLError) -> ConnectionHandle {
        switch state {
        case .open(let handle): return handle
        case .broken(let reason): throw .broken(reason: reason)
        }
    }

    /// Ends the connection for this reason, unless it had ended before.
    ///
    /// - Returns: what is to be thrown: the first failure, if something had failed before.
    func breakUp(_ error: PostgreSQLError) -> PostgreSQLError {
        if case .open = state {
            let reason = if case .broken(let reason) = error { reason } else { error.description }
            state = .broken(reason: reason)
        }
        pending.removeAll()
        return failure.take() ?? error
    }

    /// Runs calls of libpq's that break the connection when they fail.
    func sending(
        _ handle: ConnectionHandle, _ body: () throws(PostgreSQLError) -> Void
    ) throws(PostgreSQLError) {
        do throws(PostgreSQLError) {
            try body()
        } catch {
            // What the server has said before its end tells more.
            if handle.isLost { try receive(handle, leaving: 0, until: .now) }
            throw breakUp(error)
        }
    }
}
