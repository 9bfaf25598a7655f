import Platform
import Synchronization

enum Command: Sendable {
    case request(PendingRequest, answer: Answer)
    case cancel(RequestKey)
    case subscribe(filter: String)
    case unsubscribe(filter: String)
}

/// Resumed once, at the end of a request.
typealias Answer = CheckedContinuation<Result<GatewayReply?, NoReplyError>, Never>

/// Passes commands from any task to the loop, and wakes it.
final class Mailbox: Sendable {
    private struct Content {
        var commands: [Command] = []
        /// Set when the loop has ended: commands are no longer read.
        var end: ConnectionError?
    }

    private let content = Mutex(Content())
    /// Sent for a command or a stop.
    let signal: LoopSignal
    private let stop = StopFlag()

    init() throws {
        signal = try LoopSignal()
    }

    var isStopped: Bool { stop.isRaised }

    /// Posts a command.
    ///
    /// - Returns: the cause if the loop has ended and the command is dropped.
    func post(_ command: Command) -> ConnectionError? {
        let end = content.withLock { content in
            if content.end == nil { content.commands.append(command) }
            return content.end
        }
        if end == nil { signal.send() }
        return end
    }

    func drain() -> [Command] {
        signal.reset()
        // A stop since the loop has last looked for one is not to be forgotten with the signal.
        if isStopped { signal.send() }
        return content.withLock { content in
            defer { content.commands.removeAll() }
            return content.commands
        }
    }

    /// Refuses commands from now on.
    ///
    /// - Returns: the commands that were not read.
    func close(_ cause: ConnectionError) -> [Command] {
        content.withLock { content in
            content.end = cause
            defer { content.commands.removeAll() }
            return content.commands
        }
    }

    func requestStop() {
        stop.raise()
        signal.send()
    }
}
