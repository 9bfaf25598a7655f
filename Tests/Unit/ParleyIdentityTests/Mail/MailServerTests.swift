import HTTPDoubles
import Logging
import ParleyProtocol
import TestSupport
import Testing

@testable import HTTPClient
@testable import ParleyIdentity

@Suite("Mails by a server", .ownThreads)
struct MailServerTests {
    private static let (sender, recipient) = (EmailAddress("parley@example.com"), EmailAddress("Alice.b+c@example.org"))
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    /// What becomes of a mail to a server.
    private func send(
        _ double: SMTPDouble, credentials: String? = nil, sendLimit: Duration = .seconds(60),
        connectLimit: Duration = .seconds(30)
    ) async throws -> Result<Void, MailFailure> {
        let configuration = MailConfiguration(
            way: .server(url: "smtp://localhost:\(double.port)", credentials: credentials.map { Array($0.utf8) }),
            sender: try #require(Self.sender), connectLimit: connectLimit, sendLimit: sendLimit)
        let mailer = try Mailer(configuration, logger: Logger(label: "mail"))
        let mail = Mail(
            to: try #require(Self.recipient),
            .verification(try #require(AccountCode("12345678")), of: UserID("alice")))
        return await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await mailer.run() }
            defer { mailer.stop() }
            return await withCheckedContinuation { continuation in
                mailer.send(mail, now: Self.now) { continuation.resume(returning: $0) }
            }
        }
    }

    @Test("a mail is taken as it was composed, from and to plain addresses")
    func success() async throws {
        let double = try SMTPDouble()
        defer { double.close() }
        #expect(try await send(double).isSuccess)
        let received = double.received
        #expect(received.commands.first?.hasPrefix("EHLO ") == true)
        let rest = Array(received.commands.dropFirst())
        #expect(rest.prefix(3) == ["MAIL FROM:<parley@example.com>", "RCPT TO:<Alice.b+c@example.org>", "DATA"])
        let text = String(decoding: received.message, as: UTF8.self)
        #expect(text.contains("\r\nTo: <Alice.b+c@example.org>\r\n"))
        #expect(text.hasSuffix("\r\n"))
        #expect(text.contains("\r\n    12345678\r\n"))
    }

    @Test("a server that asks who sends is told, and one that refuses that gets no mail")
    func credentials() async throws {
        let double = try SMTPDouble(SMTPDouble.Script(extensions: ["AUTH PLAIN"]))
        defer { double.close() }
        #expect(try await send(double, credentials: "user\npass word\n").isSuccess)
        // base64 of NUL user NUL password (RFC 4616 §2).
        #expect(double.received.commands.contains("AHVzZXIAcGFzcyB3b3Jk"))
        let refusing = try SMTPDouble(
            SMTPDouble.Script(answers: ["AUTH": .line("535 no")], extensions: ["AUTH PLAIN"]))
        defer { refusing.close() }
        #expect(try await send(refusing, credentials: "user\nother").failure == .notSent("the sign-in was refused"))
        #expect(!refusing.received.commands.contains { $0.hasPrefix("MAIL") })
    }

    @Test(
        "4xx is for later and 5xx for ever, whichever command it answers",
        arguments: ["MAIL", "RCPT", "DATA", "MESSAGE"], [421, 451, 499, 500, 550, 599])
    func refusals(verb: String, answer: Int) async throws {
        let double = try SMTPDouble(.answering(verb, "\(answer) no"))
        defer { double.close() }
        let failure = try await send(double).failure
        #expect(failure == (answer < 500 ? .deferred(answer) : .refused(answer)))
    }

    @Test("a server that does not begin has not been asked", arguments: ["421 busy", "554 no", "nonsense"])
    func greetings(_ text: String) async throws {
        let double = try SMTPDouble(.answering("GREETING", text))
        defer { double.close() }
        guard case .notSent = try await send(double, connectLimit: .seconds(3)).failure else {
            Issue.record("another answer")
            return
        }
        #expect(!double.received.commands.contains { $0.hasPrefix("MAIL") })
    }

    @Test(
        "a server that hangs or is gone before the end has not taken the mail; after it, nobody knows",
        arguments: ["GREETING", "EHLO", "MAIL", "RCPT", "DATA", "MESSAGE"], [SMTPDouble.Answer.silence, .end])
    func hanging(verb: String, answer: SMTPDouble.Answer) async throws {
        let double = try SMTPDouble(SMTPDouble.Script(answers: [verb: answer]))
        defer { double.close() }
        switch try await send(double, sendLimit: .seconds(3)).failure {
        case .notSent: #expect(verb != "MESSAGE")
        case .answerLost: #expect(verb == "MESSAGE")
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test("a mail that was taken stays so, though the server does not answer the good-bye")
    func goodbye() async throws {
        let double = try SMTPDouble(SMTPDouble.Script(answers: ["QUIT": .silence]))
        defer { double.close() }
        #expect(try await send(double, connectLimit: .seconds(3)).isSuccess)
    }

    @Test("a server that never ends its answer is given up")
    func endless() async throws {
        let line = "250-" + String(repeating: "x", count: 900) + "\r\n"
        let double = try SMTPDouble(.answering("EHLO", String(repeating: line, count: 200) + "250 end"))
        defer { double.close() }
        #expect(try await send(double).failure != nil)
        #expect(!double.received.commands.contains { $0.hasPrefix("MAIL") })
    }

    @Test("where nobody listens, nothing is sent")
    func nobody() async throws {
        let double = try SMTPDouble()
        double.close()
        #expect(try await send(double).failure == .notSent("no connection"))
    }

    // What the settings choose for a server elsewhere, tried here.

    private func submit(
        _ double: SMTPDouble, _ security: MailSubmission.Security, isTrusted: Bool = true, host: String = "localhost"
    ) async throws -> Result<Void, MailFailure> {
        let trust = isTrusted ? Certificates(pem: [Array(TestKeys.certificate.utf8)]) : nil
        let client = HTTPClient(
            limits: HTTPLimits(connect: .seconds(30), connections: 2, streams: 1, origins: 1, body: 1), trust: trust)
        let server = MailSubmission.Server(
            host: host, port: double.port, security: security,
            credentials: MailSubmission.Credentials(user: "user", password: "secret"))
        let mail = MailSubmission(
            server: server, sender: "a@example.com", recipient: "b@example.com",
            message: Array("Subject: x\r\n\r\n.dot\r\n..\r\n.\r\nend\r\n".utf8))
        return await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { client.stop() }
            return await withCheckedContinuation { continuation in
                client.submit(mail, until: .now + .seconds(60)) { continuation.resume(returning: $0) }
            }
        }
    }

    @Test("with STARTTLS nothing but the greeting is said in clear text, and lines of dots arrive as they are")
    func startTLS() async throws {
        let double = try SMTPDouble(SMTPDouble.Script(extensions: ["STARTTLS", "AUTH PLAIN"]))
        defer { double.close() }
        #expect(try await submit(double, .startTLS).isSuccess)
        let received = double.received
        #expect(received.plainCommands.map { $0.prefix { $0 != " " } } == ["EHLO", "STARTTLS"])
        #expect(received.commands.contains { $0.hasPrefix("AUTH") })
        #expect(String(decoding: received.message, as: UTF8.self) == "Subject: x\r\n\r\n.dot\r\n..\r\n.\r\nend\r\n")
    }

    @Test("a server without STARTTLS, or that refuses it, is told neither a password nor a mail")
    func noStartTLS() async throws {
        for script in [
            SMTPDouble.Script(extensions: ["AUTH PLAIN"]),
            SMTPDouble.Script(answers: ["STARTTLS": .line("454 no")], extensions: ["STARTTLS", "AUTH PLAIN"]),
            SMTPDouble.Script(answers: ["EHLO": .line("502 no")]),
        ] {
            let double = try SMTPDouble(script)
            defer { double.close() }
            guard case .notSent = try await submit(double, .startTLS).failure else {
                Issue.record("another answer")
                return
            }
            #expect(!double.received.commands.contains { $0.hasPrefix("AUTH") || $0.hasPrefix("MAIL") })
        }
    }

    @Test("TLS from the first byte, or with STARTTLS, is only with a certificate that is trusted and the host's")
    func certificates() async throws {
        let double = try SMTPDouble(isTLS: true)
        defer { double.close() }
        #expect(try await submit(double, .tls).isSuccess)
        #expect(try await submit(double, .tls, isTrusted: false).failure == .notSent("the TLS handshake failed"))
        #expect(
            try await submit(double, .tls, host: "127.0.0.1").failure
                == .notSent("the certificate is not the host's"))
        let later = try SMTPDouble(SMTPDouble.Script(extensions: ["STARTTLS", "AUTH PLAIN"]))
        defer { later.close() }
        #expect(try await !submit(later, .startTLS, isTrusted: false).isSuccess)
        #expect(!later.received.commands.contains { $0.hasPrefix("AUTH") || $0.hasPrefix("MAIL") })
    }

    @Test("an address or a host that would be more than that is not sent at all")
    func injection() async throws {
        let server = { (host: String) in
            MailSubmission.Server(host: host, port: 25, security: .none, credentials: nil)
        }
        let good = MailSubmission(server: server("h"), sender: "a@b.c", recipient: "d@e.f", message: [])
        #expect(good.isWritable)
        for text in ["", "a@b.c>\r\nRCPT TO:<x@y.z", "a@b.c> SIZE=1", "a\0b", "<a@b.c>", "\u{e9}@b.c"] {
            #expect(
                !MailSubmission(server: server("h"), sender: text, recipient: "d@e.f", message: []).isWritable)
            #expect(
                !MailSubmission(server: server("h"), sender: "a@b.c", recipient: text, message: []).isWritable)
        }
        for host in ["", "h/x", "a@h", "h\r\n", "h#", "h?x"] {
            #expect(
                !MailSubmission(server: server(host), sender: "a@b.c", recipient: "d@e.f", message: []).isWritable)
        }
    }
}

extension Result {
    var failure: Failure? {
        switch self {
        case .success: nil
        case .failure(let failure): failure
        }
    }
}
