import Metrics
import NIOCore
import ParleyProtocol

/// The sessions of all tokens in use. A token belongs to one event loop, whichever connection presents it: it has one
/// session, and no lock is needed.
final class Sessions: Sendable {
    private let tables: [(loop: any EventLoop, table: NIOLoopBound<SessionTable>)]

    init(on group: any EventLoopGroup, _ configuration: BrokerConfiguration) async throws {
        var tables: [(any EventLoop, NIOLoopBound<SessionTable>)] = []
        let loops = Array(group.makeIterator())
        for loop in loops {
            let share = max(1, configuration.sessions / loops.count)
            tables.append(
                (
                    loop,
                    try await loop.submit {
                        NIOLoopBound(SessionTable(on: loop, most: share, configuration), eventLoop: loop)
                    }.get()
                ))
        }
        self.tables = tables
    }

    func session(of token: SessionToken) -> SessionHandle {
        let (loop, table) = tables[Int(UInt(bitPattern: token.hashValue) % UInt(tables.count))]
        return SessionHandle(token, in: table, on: loop)
    }

    /// Ends each session as soon as it has no request under way.
    func drain() async {
        for (loop, table) in tables { try? await loop.submit { table.value.drain() }.get() }
    }

    func end() async {
        for (loop, table) in tables { try? await loop.submit { table.value.end() }.get() }
    }
}

/// The sessions of one event loop, and its clock.
final class SessionTable {
    private let loop: any EventLoop
    private let configuration: BrokerConfiguration
    private let most: Int
    private var sessions: [SessionToken: TokenSession] = [:]
    private var clock: RepeatedTask?
    private var isDraining = false

    private static let tick = TimeAmount.milliseconds(100)

    init(on loop: any EventLoop, most: Int, _ configuration: BrokerConfiguration) {
        (self.loop, self.most, self.configuration) = (loop, most, configuration)
        let bound = NIOLoopBound(self, eventLoop: loop)
        clock = loop.scheduleRepeatedTask(initialDelay: SessionTable.tick, delay: SessionTable.tick) { _ in
            bound.value.tickAll()
        }
    }

    /// The session of a token, made if there is none.
    ///
    /// - Throws: ``SessionEnd/busy``
    func session(of token: SessionToken) throws(SessionEnd) -> TokenSession {
        if let found = sessions[token] {
            guard found.isForgotten(.now()) else { return found }
            remove(token)
        }
        guard sessions.count < most else { throw .busy }
        DoorMetrics.shared.sessions.increment()
        let handle = SessionHandle(token, in: NIOLoopBound(self, eventLoop: loop), on: loop)
        let session = TokenSession(token, handle, on: loop, configuration)
        sessions[token] = session
        return session
    }

    func existing(_ token: SessionToken) -> TokenSession? { sessions[token] }

    private func tickAll() {
        let now = NIODeadline.now()
        for session in sessions.values {
            session.tick(now)
            if isDraining, !session.hasRequests { session.end(.unavailable) }
        }
        for (token, session) in sessions where session.isForgotten(now) { remove(token) }
    }

    private func remove(_ token: SessionToken) {
        sessions[token] = nil
        DoorMetrics.shared.sessions.decrement()
    }

    func drain() { isDraining = true }

    /// Ends all.
    func end() {
        clock?.cancel()
        for session in sessions.values { session.end(.unavailable) }
        for token in sessions.keys { remove(token) }
    }
}
