import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension TokenIssuer {
    /// The code of a mail. It follows from its seed and the gateway's own key, like the tokens of invites: the mail can
    /// be written again, though the code is not stored.
    ///
    /// - Parameter seed: 16 random bytes.
    func accountCode(seed: [UInt8]) throws(SodiumError) -> AccountCode {
        let secret = try secret(for: "account codes")
        return AccountCode(digest: try BLAKE2b.hash(seed.span, length: .bytes16, key: secret.span))
    }
}

extension AccountCode {
    /// The stored code that equals this one; `nil` if there is none.
    func find(in stored: [StoredCode], _ tokens: TokenIssuer) throws -> StoredCode? {
        let sent = try stored.map { (code: try tokens.accountCode(seed: $0.code.seed), sent: $0.sent) }
        return AccountCodeRule.find(self, in: sent).map { stored[$0] }
    }
}

extension StoredCode {
    var sent: AccountCodeRule.Sent { AccountCodeRule.Sent(for: code.purpose.user, attempts: attempts) }
}

extension CodePurpose {
    /// The account that a code makes, and its password.
    var registration: (account: NewAccount, password: PasswordHash)? {
        if case .register(let account, let password) = self { (account, password) } else { nil }
    }
}

extension DecisionContext {
    /// The live code of an address and purpose that equals a given one; `nil` for a wrong code.
    func find(
        _ code: AccountCode, of email: EmailAddress, _ kind: CodePurpose.Kind
    ) throws -> StoredCode? {
        try code.find(in: facts.accountCodes.codes(of: email, kind, steady: steady), tokens)
    }

    /// A mail with a code for a user, for the purpose that they have asked for.
    func mail(to email: EmailAddress, for user: UserID, _ purpose: CodePurpose) throws -> CodeMail {
        let stored = try facts.accountCodes.codes(of: email, purpose.kind, steady: steady)
        switch AccountCodeRule.decide(for: user, sent: stored.map(\.sent)) {
        case .new: return try newCode(to: email, purpose)
        case .again(let index): return .code(stored[index].code, isNew: false)
        case .none: return .notice(.none)
        }
    }

    /// A mail with a new code. Only the mail limits bound the number of these codes for registrations, so that a
    /// stranger who registers an address cannot exhaust its owner's.
    func newCode(to email: EmailAddress, _ purpose: CodePurpose) throws -> CodeMail {
        let code = SentCode(
            email: email, purpose: purpose, seed: try RandomBytes.make(count: 16),
            expiresAt: steady.advanced(by: AccountCodeRule.lifetime))
        return .code(code, isNew: true)
    }
}

/// A mail to an address.
enum CodeMail {
    /// A new code is stored with its mail; an old one is mailed once more.
    case code(SentCode, isNew: Bool)
    case notice(PendingMail.Notice)
}

extension PendingMail.Notice {
    /// How long the gateway tries to send it: a warning for longer than a code is valid.
    fileprivate var lifetime: Duration {
        switch self {
        case .registered, .linked, .none: AccountCodeRule.lifetime
        case .replaced, .added: .days(2)
        }
    }
}

extension ApplyContext {
    /// Puts a mail into the outbox, with its code. A request that sends none writes one too, to nobody.
    func send(_ mail: CodeMail, to email: EmailAddress) throws(StoreError) {
        let pending: PendingMail
        switch mail {
        case .code(let code, let isNew):
            if isNew { try transaction.accountCodes.insert(code) }
            pending = PendingMail(
                to: code.email, .code(code.purpose.kind, seed: code.seed), expiresAt: code.expiresAt)
        case .notice(let notice):
            pending = PendingMail(to: email, .notice(notice), expiresAt: steady.advanced(by: notice.lifetime))
        }
        try transaction.mails.insert(pending, dueAt: steady)
        afterCommit.wake(MailDuty.self, at: steady)
        afterCommit.wake(AccountExpiryDuty.self, at: pending.expiresAt)
    }
}
