import Logging
import ParleyIdentity
import ParleyProtocol
import ParleyRules
import ParleyStore
import Platform

/// The reason why a mail was not sent, without its content and address.
enum MailingFailure: Error, Hashable, Sendable {
    /// It is not sent again.
    case refused
    case passing
}

/// Sends mails.
protocol Mailing: Sendable {
    /// - Parameter then: called once, after half a minute at the latest, on any thread.
    func send(
        _ mail: Mail, now: Timestamp, then: @escaping @Sendable (Result<Void, MailingFailure>) -> Void)
}

/// The thread of mails: it sends each stored mail, at least once. It reads snapshots. The writer records the outcome,
/// and where other gateways share the database it claims a mail before, so that one of them sends it.
final class MailLoop {
    private let store: Store
    private let tokens: TokenIssuer
    private let outbox: MailOutbox
    private let mailer: any Mailing
    private let clock: @Sendable () -> Moment
    private let woken: WakeUp
    /// Mails that are being claimed.
    private var waiting: [RowKey<PendingMail>: StoredMail] = [:]
    private let underway = Monitor<Set<RowKey<PendingMail>>>([])
    private let logger: Logger

    /// Mails under way at once.
    static let atOnce = 8
    /// The pause after a failure to send a mail; it doubles.
    static let firstPause = Duration.seconds(10)
    private static let pauseAfterFailure = Duration.seconds(1)
    /// Bounded, since the clock may be set meanwhile.
    private static let longestWait = Duration.seconds(60)

    /// - Parameter woken: signalled by the outbox.
    init(
        store: Store, tokens: TokenIssuer, outbox: MailOutbox, mailer: any Mailing,
        clock: @escaping @Sendable () -> Moment, woken: WakeUp, logger: Logger
    ) {
        (self.store, self.tokens, self.outbox, self.mailer) = (store, tokens, outbox, mailer)
        (self.clock, self.woken, self.logger) = (clock, woken, logger)
    }

    /// Sends until the outbox is closed. A failure to read is retried.
    func run() throws {
        var report = RecurringReport(logger: logger)
        while !outbox.isClosed {
            woken.drain()
            let moment = clock()
            var wait = Self.pauseAfterFailure
            do {
                let nextDue = try sendDue(at: moment)
                wait = nextDue.map { max(.zero, moment.steady.duration(to: $0)) } ?? Self.longestWait
                report.end("mails are read again")
            } catch {
                report.add("mails could not be read", StoreError(error))
            }
            var watched = [WatchedDescriptor(woken.descriptor)]
            try waitForEvents(&watched, timeout: min(wait, Self.longestWait))
        }
    }

    /// Sends the mails that are claimed, and claims, or sends, those that are due.
    ///
    /// - Returns: the time at which the next mail is due that is not under way, by the steady time; `nil` if there is
    ///   none, or no room for it: the end of a mail under way wakes this thread, as does a claim.
    func sendDue(at moment: Moment) throws -> Timestamp? {
        for (key, isOurs) in outbox.drainClaims() {
            if let stored = waiting.removeValue(forKey: key), isOurs { try send(stored, at: moment) }
        }
        // Before the database is read, so that a change recorded meanwhile is in one of the two.
        let known = underway.withLock { $0 }.union(waiting.keys).union(outbox.recorded)
        let room = max(0, Self.atOnce - waiting.count - underway.withLock { $0.count })
        let mails = try store.read { try $0.mails.next(limit: Self.atOnce + known.count) }
            .filter { !known.contains($0.key) }
        let due = mails.prefix { $0.dueAt <= moment.steady }
        for stored in due.prefix(room) {
            guard store.cells != nil else {
                try send(stored, at: moment)
                continue
            }
            waiting[stored.key] = stored
            outbox.record(.claimed(dueAt: stored.dueAt), of: stored.key)
        }
        if due.count > room { return nil }
        // The next read skips these.
        return due.count == mails.count && !due.isEmpty ? moment.steady : mails.dropFirst(due.count).first?.dueAt
    }

    private func send(_ stored: StoredMail, at moment: Moment) throws {
        guard stored.mail.expiresAt > moment.steady, let mail = try mail(of: stored.mail, at: moment) else {
            return outbox.record(.finished, of: stored.key)
        }
        underway.withLock { _ = $0.insert(stored.key) }
        mailer.send(mail, now: clock().now) { [outbox, underway, clock, woken, logger] result in
            switch result {
            case .success: outbox.record(.finished, of: stored.key)
            case .failure(.refused):
                logger.warning("a mail was refused, and is not sent again")
                outbox.record(.finished, of: stored.key)
            case .failure(.passing):
                let pause = Self.firstPause * (1 << min(stored.attempts, 10))
                outbox.record(.postponed(to: clock().steady.advanced(by: pause)), of: stored.key)
            }
            underway.withLock { _ = $0.remove(stored.key) }
            woken.signal()
        }
    }
}

extension MailLoop {
    /// - Returns: `nil` for a mail to nobody, and for one of no use any more: its code was used, or the address is
    ///   nobody's by now.
    private func mail(of pending: PendingMail, at moment: Moment) throws -> Mail? {
        let email = pending.recipient
        let text: MailText?
        switch pending.text {
        case .code(let kind, let seed):
            let code = try store.read { try $0.accountCodes.codes(of: email, kind, steady: moment.steady) }
                .first { $0.code.seed == seed }
            text = try code.map { MailText($0.code.purpose, try tokens.accountCode(seed: seed)) }
        case .notice(.registered), .notice(.linked):
            text = try store.read { try $0.identities.user(email) }.map { .alreadyRegistered(of: $0) }
        case .notice(.replaced): text = .replaced
        case .notice(.added): text = .added
        case .notice(.none): text = nil
        }
        return text.map { Mail(to: email, $0) }
    }
}

extension MailText {
    fileprivate init(_ purpose: CodePurpose, _ code: AccountCode) {
        switch purpose {
        case .register(let account, _): self = .verification(code, of: account.user)
        case .link(let user, _): self = .verification(code, of: user)
        case .reset(let user): self = .reset(code, of: user)
        }
    }
}
