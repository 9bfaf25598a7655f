import ParleyClient
import ParleyProtocol

/// The downloads of a chat. One is paused by stopping it, and resumed by beginning it anew: what has come lies on the
/// disk.
struct ChatDownloads {
    private struct Run {
        let action: ChatState.Action
        let stop: StopSignal
    }

    /// Several commands may wait for one file.
    private var running: [MessageID: [Run]] = [:]
    private var paused: [MessageID: [ChatState.Action]] = [:]

    /// - Parameter action: what begins it, and begins it anew.
    mutating func begin(_ message: MessageID, by action: ChatState.Action) -> StopSignal {
        let stop = StopSignal()
        running[message, default: []].append(Run(action: action, stop: stop))
        return stop
    }

    /// It has ended, as a whole or with an error.
    mutating func end(_ message: MessageID) {
        running[message] = nil
        paused[message] = nil
    }

    func isPaused(_ message: MessageID) -> Bool { paused[message] != nil }

    mutating func pause(_ message: MessageID) {
        guard let runs = running.removeValue(forKey: message) else { return }
        for run in runs { run.stop.send() }
        paused[message, default: []] += runs.map(\.action)
    }

    /// - Returns: what begins it anew.
    mutating func resume(_ message: MessageID) -> [ChatState.Action] { paused.removeValue(forKey: message) ?? [] }
}

/// Asks work to stop, once.
struct StopSignal: Sendable {
    private let signals: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (signals, continuation) = AsyncStream.makeStream() }

    func send() { continuation.finish() }

    /// Runs until it ends; asked to stop, it is cancelled.
    ///
    /// - Returns: what it has returned, and whether it was cancelled before.
    func stopping<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value
    ) async -> (value: Value?, wasStopped: Bool) {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await work() }
            group.addTask {
                for await _ in signals {}
                return nil
            }
            var wasStopped = false
            for await value in group {
                group.cancelAll()
                if let value { return (value, wasStopped) }
                wasStopped = true
            }
            return (nil, wasStopped)
        }
    }
}
