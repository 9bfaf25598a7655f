import ParleyStore
import Platform
import PostgreSQL

/// A connection that hears the doorbell, and what ends a wait for it.
///
/// `@unchecked Sendable`: one thread waits, and it alone uses the connection; `call` may be signalled by any.
final class Listener: @unchecked Sendable {
    private let settings: PostgreSQLSettings
    private let call: WakeUp
    private var connection: PostgreSQLConnection?

    init(_ settings: PostgreSQLSettings) throws {
        self.settings = settings
        call = try WakeUp()
    }

    func wake() { call.signal() }

    /// Waits until there is a call. After a loss it connects anew, and then there may have been one.
    ///
    /// - Parameter own: what this process says itself, which it hears too.
    /// - Returns: what the calls of others said.
    func wait(for time: Duration, ignoring own: String) throws -> [String] {
        guard let connection, connection.isOpen else {
            connection = nil
            let new = try PostgreSQLConnection(settings)
            try new.execute((Session.lostClients + ["LISTEN \(Neighbours.channel)"]).joined(separator: ";\n"))
            connection = new
            return []
        }
        let deadline = ContinuousClock.now + time
        while true {
            var watched = [WatchedDescriptor(connection.fileDescriptor), WatchedDescriptor(call.descriptor)]
            _ = try waitForEvents(&watched, timeout: max(.zero, deadline - .now))
            let calls = watched[0].isReadable ? try connection.notifications(until: .now).map(\.payload) : []
            if watched[1].isReadable { call.drain() }
            let isOver = watched[1].isReadable || ContinuousClock.now >= deadline
            if isOver || calls.contains(where: { $0 != own }) { return calls }
        }
    }
}
