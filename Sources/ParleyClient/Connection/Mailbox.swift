import Platform
import Synchronization

/// What tasks ask of the thread that owns the connection.
enum Command: Sendable {
    case request(PendingRequest, answer: Answer)
    case cancel(RequestKey)
    case subscribe(filter: String)
    case unsubscribe(filter: String)
}

/// Where the end of a request is reported, once.
typealias Answer = CheckedContinuation<Result<GatewayReply?, NoReplyError>, Never>

/// Carries commands from any task to the loop and wakes it.
final class Mailbox: Sendable {
    private struct Content {
        var commands: [Command] = []
        /// Set when the loop has ended: nobody reads any more.
        var end: ConnectionError?
    }

    private let content = Mutex(Content())
    /// Sent when there may be commands, or the loop is to end.
    let signal: LoopSignal
    private let stop = StopFlag()

    init() throws {
        signal = try LoopSignal()
    }

    var isStopped: Bool { stop.isRaised }

    /// Hands a command on.
    ///
    /// - Returns: why nobody will read it, if so.
    func post(_ command: Command) -> ConnectionError? {
        let end = content.withLock { content in
            if content.end == nil { content.commands.append(command) }
            return content.end
        }
        if end == nil { signal.send() }
        return end
    }

    /// The commands since the last call.
    func drain() -> [Command] {
        signal.reset()
        return content.withLock { content in
            defer { content.commands.removeAll() }
            return content.commands
        }
    }

    /// From now on nothing is accepted; what was posted before is returned for the last time.
    func close(_ cause: ConnectionError) -> [Command] {
        content.withLock { content in
            content.end = cause
            defer { content.commands.removeAll() }
            return content.commands
        }
    }

    /// Asks the loop to end.
    func requestStop() {
        stop.raise()
        signal.send()
    }
}
