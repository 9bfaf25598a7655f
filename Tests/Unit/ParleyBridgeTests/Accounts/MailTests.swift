import Logging
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
        var mails: [AccountMail] = []
        var failures: [MailingFailure]
    }

    private let state: Monitor<State>
    private let onMail: @Sendable () -> Void

    /// - Parameter failures: of the first mails.
    init(failures: [MailingFailure] = [], onMail: @escaping @Sendable () -> Void = {}) {
        state = Monitor(State(failures: failures))
        self.onMail = onMail
    }

    var mails: [AccountMail] { state.withLock { $0.mails } }

    func send(
        _ mail: AccountMail, now: Timestamp, then: @escaping @Sendable (Result<Void, MailingFailure>) -> Void
    ) {
        let failure = state.withLock { state in
            state.mails.append(mail)
            return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        then(failure.map { .failure($0) } ?? .success(()))
        onMail()
    }
}

@Suite("Mails about accounts")
struct MailTests {
    private let world: AccountWorld

    init() throws { world = try AccountWorld() }

    /// Sends what is due, as the thread of mails does, and writes what became of it.
    private func deliver(_ mailer: TestMailer, now: Timestamp = at(0), outcomesAreWritten: Bool = true) throws {
        let outbox = MailOutbox()
        let duty = MailDuty(outbox)
        let loop = MailLoop(
            store: world.test.store, tokens: world.tokens, outbox: outbox, mailer: mailer,
            clock: { Moment(now: now, clockOffset: 0) }, woken: try WakeUp(), logger: Logger(label: "test"))
        _ = try loop.sendDue(at: Moment(now: now, clockOffset: 0))
        if outcomesAreWritten { _ = world.test.writer.run(due: duty, now: now) }
    }

    @Test("a mail is sent with its code, and its row goes")
    func sent() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let code = try world.lastCode()
        let mailer = TestMailer()
        try deliver(mailer)
        let mail = AccountMail(recipient: try AccountWorld.email("dave@example.com"), text: .verification(code))
        #expect(mailer.mails == [mail])
        #expect(try world.mails().isEmpty)
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
        #expect(mailer.mails.map(\.text) == [.alreadyRegistered])
    }

    @Test("the thread of mails sends what is committed while it runs, and ends when the outbox is closed")
    func thread() async throws {
        let woken = try WakeUp()
        let outbox = MailOutbox(wakeMails: { woken.signal() })
        let (sent, continuation) = AsyncStream<Void>.makeStream()
        let mailer = TestMailer { continuation.yield() }
        let (store, tokens) = (world.test.store, world.tokens)
        async let ended: Void = LoopThread.run(name: "mail") {
            try MailLoop(
                store: store, tokens: tokens, outbox: outbox, mailer: mailer,
                clock: { Moment(now: at(0), clockOffset: 0) }, woken: woken, logger: Logger(label: "test")
            ).run()
        }
        _ = try world.register("dave@example.com", as: "dave")
        outbox.notify()
        for await _ in sent { break }
        outbox.close()
        try await ended
        #expect(mailer.mails.count == 1)
    }
}
