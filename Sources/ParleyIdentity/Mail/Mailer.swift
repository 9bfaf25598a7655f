import HTTPClient
import Logging
import ParleyProtocol
import Synchronization

/// Sends the gateway's mails, each once. Its caller repeats them.
package enum Mailer: Sendable {
    case server(MailServer)
    /// For development.
    case directory(MailDirectory)

    package init(_ configuration: MailConfiguration, logger: Logger) throws(IdentityConfigurationError) {
        switch configuration.way {
        case .server(let url, let credentials):
            self = .server(try MailServer(configuration, url: url, credentials: credentials, logger: logger))
        case .directory(let path):
            self = .directory(MailDirectory(path: path, sender: configuration.sender))
        }
    }

    /// Owns the connections to a server, on a thread of its own, until ``stop()``; for a directory it returns at once.
    /// It runs once.
    ///
    /// - Throws: if connections are impossible.
    package func run() async throws {
        switch self {
        case .server(let server): try await server.run()
        case .directory: break
        }
    }

    /// Ends ``run()``; mails under way are given up.
    package func stop() {
        switch self {
        case .server(let server): server.stop()
        case .directory: break
        }
    }

    /// Sends a mail. Returns at once, or after the file is written.
    ///
    /// - Parameter then: called once, after ``MailConfiguration/sendLimit`` at the latest, before this returns or on
    ///   the connection's thread. It must not block.
    package func send(
        _ mail: Mail, now: Timestamp, then: @escaping @Sendable (Result<Void, MailFailure>) -> Void
    ) {
        switch self {
        case .server(let server): server.send(mail, now: now, then: then)
        case .directory(let directory): then(directory.save(mail, now: now))
        }
    }
}

/// Sends mails by an SMTP server.
package final class MailServer: Sendable {
    /// The most mails under way; more are not sent.
    package static let mostUnderWay = 256

    private let client: HTTPClient
    private let server: MailSubmission.Server
    private let sender: EmailAddress
    private let limit: Duration
    private let logger: Logger
    private let underWay = Mutex(0)

    fileprivate init(
        _ configuration: MailConfiguration, url: String, credentials: [UInt8]?, logger: Logger
    ) throws(IdentityConfigurationError) {
        server = try MailSubmission.Server(url: url, credentials: credentials)
        guard let trust = Certificates(pem: configuration.trustRoots) else {
            throw IdentityConfigurationError("trust", "not certificates in PEM")
        }
        // Two connections, so that the server is not flooded; the time limit bounds the queue.
        client = HTTPClient(
            limits: HTTPLimits(connect: configuration.connectLimit, connections: 2, streams: 1, origins: 1, body: 1),
            trust: trust)
        sender = configuration.sender
        limit = configuration.sendLimit
        self.logger = logger
    }

    fileprivate func run() async throws { try await client.run() }

    fileprivate func stop() { client.stop() }

    fileprivate func send(
        _ mail: Mail, now: Timestamp, then: @escaping @Sendable (Result<Void, MailFailure>) -> Void
    ) {
        let hasRoom = underWay.withLock { count in
            guard count < MailServer.mostUnderWay else { return false }
            count += 1
            return true
        }
        guard hasRoom else { return finish(.failure(.notSent("too many mails are under way")), then) }
        let message = MailMessage.compose(mail, from: sender, id: .random(in: 0 ... .max), now: now)
        let submission = MailSubmission(
            server: server, sender: sender.text, recipient: mail.recipient.text, message: message)
        client.submit(submission, until: .now + limit) { [self] result in
            underWay.withLock { $0 -= 1 }
            finish(result, then)
        }
    }

    private func finish(_ result: Result<Void, MailFailure>, _ then: (Result<Void, MailFailure>) -> Void) {
        switch result {
        case .success: logger.debug("a mail was sent")
        // Without the address: a recipient is content.
        case .failure(let failure): logger.warning("a mail was not sent", metadata: ["problem": "\(failure)"])
        }
        then(result)
    }
}

extension MailFailure {
    /// Whether the mail may be sent again. After a lost response it may arrive twice.
    package var isPassing: Bool {
        switch self {
        case .refused: false
        case .deferred, .notSent, .answerLost: true
        }
    }
}

extension MailFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let answer): "refused (\(answer))"
        case .deferred(let answer): "deferred (\(answer))"
        case .notSent(let reason), .answerLost(let reason): reason
        }
    }
}
