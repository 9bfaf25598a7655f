import Logging
import ParleyIdentity
import ParleyProtocol
import ParleyRules
import Platform
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Takes mails as a test says, at once.
final class TestMailer: Mailing {
    private struct State {
        var mails: [Mail] = []
        var failures: [MailingFailure]
    }

    private let state: Monitor<State>

    /// - Parameter failures: of the first mails.
    init(failures: [MailingFailure] = []) { state = Monitor(State(failures: failures)) }

    var mails: [Mail] { state.withLock { $0.mails } }

    func send(
        _ mail: Mail, now: Timestamp, then: @escaping @Sendable (Result<Void, MailingFailure>) -> Void
    ) {
        let failure = state.withLock { state in
            state.mails.append(mail)
            return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        then(failure.map { .failure($0) } ?? .success(()))
    }
}

/// A gateway that sends mails: its thread of mails, and the duty that writes for it.
final class MailSender {
    private let loop: MailLoop
    private let duty: MailDuty
    private let writer: Writer
    private let now: Timestamp

    init(_ tokens: TokenIssuer, _ mailer: TestMailer, on writer: Writer, now: Timestamp = at(0)) throws {
        let outbox = MailOutbox()
        duty = MailDuty(outbox)
        loop = MailLoop(
            store: writer.store, tokens: tokens, outbox: outbox, mailer: mailer,
            clock: { Moment(now: now, clockOffset: 0) }, woken: try WakeUp(), logger: Logger(label: "test"))
        (self.writer, self.now) = (writer, now)
    }

    /// Sends what is claimed, and asks for what is due, or sends it.
    func look() throws { _ = try loop.sendDue(at: Moment(now: now, clockOffset: 0)) }

    /// Writes what it has asked for, and what became of mails.
    func write() { _ = writer.run(due: duty, now: now) }
}

@Suite("Mails about accounts")
struct MailTests {
    private let world: AccountWorld

    init() throws { world = try AccountWorld() }

    /// Sends what is due, as the thread of mails does, and writes what became of it.
    private func deliver(_ mailer: TestMailer, now: Timestamp = at(0), outcomesAreWritten: Bool = true) throws {
        let sender = try MailSender(world.tokens, mailer, on: world.test.writer, now: now)
        try sender.look()
        if outcomesAreWritten { sender.write() }
    }

    @Test("a mail is sent with its code, and its row goes")
    func sent() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let code = try world.lastCode()
        let mailer = TestMailer()
        try deliver(mailer)
        let mail = Mail(
            to: try AccountWorld.email("dave@example.com"), .verification(code, of: "dave"))
        #expect(mailer.mails == [mail])
        #expect(try world.mails().isEmpty)
    }

    @Test("what cannot be read ends nothing: mails are sent once it can", .ownThreads)
    func unreadable() async throws {
        _ = try world.register("dave@example.com", as: "dave")
        try world.test.execute("UPDATE mails SET address = 'nobody'")
        let (mailer, woken) = (TestMailer(), try WakeUp())
        let outbox = MailOutbox(wakeMails: { woken.signal() })
        let (store, tokens, looks) = (world.test.store, world.tokens, Monitor(0))
        async let end: Void = LoopThread.run(name: "mails") {
            try MailLoop(
                store: store, tokens: tokens, outbox: outbox, mailer: mailer,
                clock: {
                    looks.withLock { $0 += 1 }
                    return Moment(now: at(0), clockOffset: 0)
                }, woken: woken, logger: Logger(label: "test")
            ).run()
        }
        // At the second look the first one is over.
        try await waiting(for: "another look") { looks.withLock { $0 } > 1 }
        try world.test.execute("UPDATE mails SET address = 'dave@example.com'")
        outbox.notify()
        let duty = MailDuty(outbox)
        try await waiting(for: "the mail") {
            _ = world.test.writer.run(due: duty, now: at(0))
            return !mailer.mails.isEmpty
        }
        outbox.close()
        try await end
        #expect(mailer.mails.map(\.recipient.text) == ["dave@example.com"])
    }

    @Test("a process that is killed before its row goes sends the mail again, with the same code")
    func killed() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let mailer = TestMailer()
        try deliver(mailer, outcomesAreWritten: false)
        try deliver(mailer)
        try deliver(mailer)
        #expect(mailer.mails.count == 2 && mailer.mails[0] == mailer.mails[1])
    }

    @Test("a mail that cannot be sent is tried again after longer and longer pauses; one that was refused is not")
    func failures() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let mailer = TestMailer(failures: [.passing, .passing, .refused])
        try deliver(mailer)
        try deliver(mailer, now: at(9999))
        #expect(mailer.mails.count == 1)
        try deliver(mailer, now: at(10_000))
        try deliver(mailer, now: at(29_999))
        #expect(mailer.mails.count == 2)
        try deliver(mailer, now: at(30_000))
        #expect(try mailer.mails.count == 3 && world.mails().isEmpty)
    }

    @Test("nothing is sent for an unknown address, and nothing after the code has expired")
    func notSent() throws {
        let mailer = TestMailer()
        _ = try world.ask(
            SendAccountCode(
                id: .random(), network: try #require(AccountWorld.network),
                email: try AccountWorld.email("nobody@example.com")))
        try deliver(mailer)
        _ = try world.register("dave@example.com", as: "dave")
        try deliver(mailer, now: at(.seconds(901)))
        #expect(try mailer.mails.isEmpty && world.mails().isEmpty)
    }

    @Test("a mail about a known address says that it has an account")
    func known() throws {
        try world.makeAccount("dave@example.com", "dave")
        _ = try world.register("dave@example.com", as: "dora")
        let mailer = TestMailer()
        try deliver(mailer)
        #expect(mailer.mails.map(\.text) == [.alreadyRegistered(of: "dave")])
    }

    @Test("the mail of a code that was used meanwhile is not sent")
    func used() throws {
        _ = try world.register("dave@example.com", as: "dave")
        #expect(try world.verify("dave@example.com", try world.lastCode()).isOK == true)
        let mailer = TestMailer()
        try deliver(mailer)
        #expect(try mailer.mails.isEmpty && world.mails().isEmpty)
    }

    @Test("a mail with a code for a new password, or for an address to link, names the user")
    func named() throws {
        let device = try world.makeAccount("dave@example.com", "dave").address
        let email = try AccountWorld.email("dave@example.com")
        _ = try world.ask(
            SendAccountCode(id: .random(), network: try #require(AccountWorld.network), email: email))
        let mailer = TestMailer()
        let reset = try world.lastCode()
        try deliver(mailer)
        #expect(mailer.mails == [Mail(to: email, .reset(reset, of: "dave"))])
        let other = try AccountWorld.email("d@example.org")
        let credentials = EmailCredentials(email: other, password: try AccountWorld.password("correct horse"))
        _ = try world.ask(LinkIdentity(id: .random(), way: .email(credentials)), by: device)
        let link = try world.lastCode()
        try deliver(mailer)
        #expect(mailer.mails.last == Mail(to: other, .verification(link, of: "dave")))
    }

    @Test("who links another address is told so at the former one, and who links the same is not")
    func replaced() throws {
        let device = try world.makeAccount("dave@example.com", "dave").address
        let mailer = TestMailer()
        func link(_ text: String) throws {
            let email = try AccountWorld.email(text)
            let credentials = EmailCredentials(email: email, password: try AccountWorld.password("correct horse"))
            _ = try world.ask(LinkIdentity(id: .random(), way: .email(credentials)), by: device)
            let code = try world.lastCode()
            try deliver(mailer)
            let reply = try world.ask(ConfirmEmail(id: .random(), email: email, code: code), by: device)
            #expect(reply.isOK == true)
        }
        try link("DAVE@example.com")
        #expect(try world.mails().isEmpty)
        try link("d@example.org")
        #expect(try world.mails().map(\.to) == ["DAVE@example.com"])
        try deliver(mailer, now: at(.seconds(901)))
        let former = try AccountWorld.email("DAVE@example.com")
        #expect(mailer.mails.last == Mail(to: former, .replaced))
    }

    @Test("the thread of mails sends what is committed while it runs, and ends when the outbox is closed")
    func thread() async throws {
        let woken = try WakeUp()
        let (asked, continuation) = AsyncStream<Void>.makeStream()
        let outbox = MailOutbox(wakeWriter: { continuation.yield() }, wakeMails: { woken.signal() })
        let mailer = TestMailer()
        let (store, tokens) = (world.test.store, world.tokens)
        async let ended: Void = LoopThread.run(name: "mail") {
            try MailLoop(
                store: store, tokens: tokens, outbox: outbox, mailer: mailer,
                clock: { Moment(now: at(0), clockOffset: 0) }, woken: woken, logger: Logger(label: "test")
            ).run()
        }
        _ = try world.register("dave@example.com", as: "dave")
        outbox.notify()
        let duty = MailDuty(outbox)
        for await _ in asked {
            _ = world.test.writer.run(due: duty, now: at(0))
            if try world.mails().isEmpty { break }
        }
        outbox.close()
        try await ended
        #expect(mailer.mails.count == 1)
    }
}
