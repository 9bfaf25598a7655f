import Platform

/// Sends requests to many hosts at once, over HTTP/2 where they speak it, and mails, by libcurl.
///
/// One thread owns all connections and waits for them; no request holds one. The client follows no redirect, asks no
/// proxy, decompresses nothing, stores no cookie or password, and never repeats a request: the caller decides about a
/// request that the server may have processed.
///
/// A mail has a connection of its own. libcurl says QUIT when it ends, and lets the thread wait for the answer, up to
/// ``HTTPLimits/connect``: whoever sends mails has a client for them.
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
    package func send(
        _ request: HTTPRequest, to origin: HTTPOrigin, until end: ContinuousClock.Instant
    ) async -> Result<HTTPReply, SendFailure> {
        let id = mailbox.makeID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                start(id, request, to: origin, until: end) { continuation.resume(returning: $0) }
                // If the task was cancelled before the start, the loop did not know the request.
                if Task.isCancelled { _ = mailbox.append(.cancel(id)) }
            }
        } onCancel: {
            _ = mailbox.append(.cancel(id))
        }
    }

    /// Sends a request, and returns at once.
    ///
    /// - Parameter answer: called once, until `end`: on the client's thread, or before this returns if the client has
    ///   stopped. It must not block.
    package func send(
        _ request: HTTPRequest, to origin: HTTPOrigin, until end: ContinuousClock.Instant,
        answer: @escaping @Sendable (Result<HTTPReply, SendFailure>) -> Void
    ) {
        start(mailbox.makeID(), request, to: origin, until: end, answer: answer)
    }

    /// Submits a mail, and returns at once.
    ///
    /// - Parameter answer: as for a request.
    package func submit(
        _ mail: MailSubmission, until end: ContinuousClock.Instant,
        answer: @escaping @Sendable (Result<Void, MailFailure>) -> Void
    ) {
        guard mail.isWritable else { return answer(.failure(.notSent("not a mail"))) }
        let work = TransferWork.mail(mail, answer)
        let start = LoopCommand.Start(id: mailbox.makeID(), work: work, origin: .service(mail.server.url), end: end)
        if !mailbox.append(.start(start)) { work.fail(HTTPClient.stopped) }
    }

    private func start(
        _ id: TransferID, _ request: HTTPRequest, to origin: HTTPOrigin, until end: ContinuousClock.Instant,
        answer: @escaping @Sendable (Result<HTTPReply, SendFailure>) -> Void
    ) {
        guard request.isWritable else { return answer(.failure(.notSent("not a request"))) }
        let work = TransferWork.request(request, answer)
        let start = LoopCommand.Start(id: id, work: work, origin: origin, end: end)
        if !mailbox.append(.start(start)) { work.fail(HTTPClient.stopped) }
    }

    private func fail(_ commands: [LoopCommand]) {
        for command in commands {
            switch command {
            case .start(let start): start.work.fail(HTTPClient.stopped)
            case .cancel: break
            }
        }
    }

    private static let stopped = SendFailure.notSent("the sender has stopped")
}
