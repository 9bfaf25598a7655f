import Platform

/// Sends POST requests to many hosts at once, over HTTP/2 where they speak it, by libcurl.
///
/// One thread owns all connections and waits for them; no request holds one. The client follows no redirect, asks no
/// proxy, decompresses nothing, stores no cookie or password, and never repeats a request: the caller decides about a
/// request that the server may have processed.
package final class HTTPClient: Sendable {
    private let limits: HTTPLimits
    private let trust: Certificates?
    private let mailbox = Mailbox()

    /// - Parameter trust: certificates beside the system's.
    package init(limits: HTTPLimits, trust: Certificates? = nil) { (self.limits, self.trust) = (limits, trust) }

    /// Owns the connections, on a thread of its own, until ``stop()``; then it closes them. It runs once.
    ///
    /// - Throws: ``SystemError`` if there can be no thread, or none to wake it.
    package func run() async throws {
        // However it ends, no caller waits for an answer that cannot come.
        defer {
            mailbox.stop()
            fail(mailbox.next().commands)
        }
        try CurlLibrary.initialize()
        let wakeUp = try WakeUp()
        guard mailbox.begin(wakeUp) else { return }
        try await LoopThread.run(name: "parley-http") { [mailbox, limits, trust] in
            ClientLoop(mailbox, wakeUp, limits: limits, trust: trust).run()
        }
    }

    /// Lets ``run()`` end, and gives up the requests under way.
    package func stop() { mailbox.stop() }

    /// Sends a request, and waits for its answer until `end`. A cancelled task gives its request up.
    package func post(
        _ request: HTTPRequest, to origin: HTTPOrigin, until end: ContinuousClock.Instant
    ) async -> Result<HTTPReply, SendFailure> {
        guard request.isWritable else { return .failure(.notSent("not a request")) }
        let id = mailbox.makeID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let start = LoopCommand.Start(id: id, request: request, origin: origin, end: end) {
                    continuation.resume(returning: $0)
                }
                guard mailbox.append(.start(start)) else { return start.answer(HTTPClient.stopped) }
                // If the task was cancelled before the append, the loop did not know the request.
                if Task.isCancelled { _ = mailbox.append(.cancel(id)) }
            }
        } onCancel: {
            _ = mailbox.append(.cancel(id))
        }
    }

    private func fail(_ commands: [LoopCommand]) {
        for command in commands {
            switch command {
            case .start(let start): start.answer(HTTPClient.stopped)
            case .cancel: break
            }
        }
    }

    private static let stopped: Result<HTTPReply, SendFailure> = .failure(.notSent("the sender has stopped"))
}
