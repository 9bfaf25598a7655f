import Dispatch
import PostgreSQL
import Synchronization

/// A bounded number of connections, each lent to one thread at a time and made when it is needed.
///
/// `@unchecked Sendable`: a session is in `idle`, behind the lock, or in the hands of the one thread that took it out.
final class SessionPool: @unchecked Sendable {
    private let settings: PostgreSQLSettings
    private let purpose: Session.Purpose
    private let timeLimit: Duration?
    private let permits: DispatchSemaphore
    private let lock = Mutex(())
    private var idle: [Session] = []
    private var isClosed = false

    /// - Parameter timeLimit: how long each call may wait; `nil` for as long as any connection's.
    init(
        _ settings: PostgreSQLSettings, for purpose: Session.Purpose = .writing, count: Int,
        timeLimit: Duration? = nil
    ) {
        (self.settings, self.purpose, self.timeLimit) = (settings, purpose, timeLimit)
        permits = DispatchSemaphore(value: count)
    }

    /// Waits until a connection is free, and lends it.
    ///
    /// - Parameter body: is given a connection on which nothing is under way, and leaves it so.
    func withSession<Result>(_ body: (Session) throws -> Result) throws -> Result {
        permits.wait()
        defer { permits.signal() }
        let session = try takeSession()
        defer { giveBack(session) }
        try session.renewPlans()
        return try body(session)
    }

    private func takeSession() throws(PostgreSQLError) -> Session {
        while let session = lock.withLock({ _ in idle.popLast() }) { if session.isAlive() { return session } }
        return try makeSession()
    }

    private func makeSession() throws(PostgreSQLError) -> Session {
        let session = try Session(settings, purpose)
        if let timeLimit { session.connection.timeLimit = timeLimit }
        return session
    }

    /// Makes a connection before one is needed.
    func connect() throws(PostgreSQLError) { giveBack(try makeSession()) }

    private func giveBack(_ session: Session) {
        guard session.connection.isOpen else { return }
        session.recordUse()
        lock.withLock { _ in if !isClosed { idle.append(session) } }
    }

    /// Ends the connections that are not in use; the others end when they are given back.
    func close() {
        let sessions = lock.withLock { _ in
            isClosed = true
            defer { idle = [] }
            return idle
        }
        for session in sessions { session.connection.close() }
    }
}
