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
    /// - Returns: what the calls said.
    func wait(for time: Duration) throws -> [String] {
        guard let connection, connection.isOpen else {
            connection = nil
            let new = try PostgreSQLConnection(settings)
            try new.execute("LISTEN \(Neighbours.channel)")
            connection = new
            return []
        }
        var watched = [WatchedDescriptor(connection.fileDescriptor), WatchedDescriptor(call.descriptor)]
        _ = try waitForEvents(&watched, timeout: time)
        if watched[1].isReadable { call.drain() }
        return watched[0].isReadable ? try connection.notifications(until: .now).map(\.payload) : []
    }
}
