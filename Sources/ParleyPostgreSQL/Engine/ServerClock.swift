import ParleyProtocol
import Platform
import Synchronization

/// The clock of the server, as this machine knows it: all cells count by it, whatever their own clocks say.
///
/// Between two looks, of which there is one with each extension of the lease, it goes on with the machine's uptime.
final class ServerClock: Sendable {
    /// From the machine's uptime to the server's time, in milliseconds.
    private let offset: Mutex<Int64>

    /// - Parameters:
    ///   - time: what the server has said, in milliseconds since 1970.
    ///   - begin: when it was asked, in milliseconds since the start of the machine.
    init(_ time: Int, asked begin: Int64) { offset = Mutex(ServerClock.offset(time, asked: begin)) }

    /// Looks again.
    func set(_ time: Int, asked begin: Int64) {
        let new = ServerClock.offset(time, asked: begin)
        offset.withLock { $0 = new }
    }

    var now: Timestamp {
        Timestamp(milliseconds: SystemClock.sinceBoot.milliseconds).advanced(byMilliseconds: offset.withLock { $0 })
    }

    /// The server has read its clock while it was asked: half of that time is the error at most.
    private static func offset(_ time: Int, asked begin: Int64) -> Int64 {
        let end = SystemClock.sinceBoot.milliseconds
        return Int64(time) - begin - (end - begin) / 2
    }
}
