import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension TokenIssuer {
    /// The code that was sent by mail. It follows from its seed and the gateway's own key, like the tokens of invites:
    /// the mail can be written again, though the code is not stored.
    ///
    /// - Parameter seed: 16 random bytes.
    func accountCode(seed: [UInt8]) throws(SodiumError) -> AccountCode {
        let secret = try secret(for: "account codes")
        return AccountCode(digest: try BLAKE2b.hash(seed.span, length: .bytes16, key: secret.span))
    }
}

extension AccountCode {
    /// The one of these that this is; `nil` for none.
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
    /// The live code of an address and purpose that this is; `nil` for a wrong one.
    func find(
        _ code: AccountCode, of email: EmailAddress, _ kind: CodePurpose.Kind
    ) throws -> StoredCode? {
        try code.find(in: facts.accountCodes.codes(of: email, kind, steady: steady), tokens)
    }

    /// A mail with a new code for a registration. Only the mail limits bound the number of these codes, so that a
    /// stranger who registers an address cannot exhaust its owner's.
    func mail(to email: EmailAddress, registering purpose: CodePurpose) throws -> CodeMail {
        .new(try code(to: email, purpose))
    }

    /// A mail with a code for a user, for the purpose that they have asked for.
    func mail(to email: EmailAddress, for user: UserID, _ purpose: CodePurpose) throws -> CodeMail {
        let stored = try facts.accountCodes.codes(of: email, purpose.kind, steady: steady)
        switch AccountCodeRule.decide(for: user, sent: stored.map(\.sent)) {
        case .new: return .new(try code(to: email, purpose))
        case .again(let index): return .again(stored[index].code)
        case .none: return .none
        }
    }

    private func code(to email: EmailAddress, _ purpose: CodePurpose) throws -> SentCode {
        SentCode(
            email: email, purpose: purpose, seed: try RandomBytes.make(count: 16),
            expiresAt: steady.advanced(by: AccountCodeRule.lifetime))
    }
}

/// What goes to an address.
enum CodeMail {
    case new(SentCode)
    /// The mail of a code that was sent before.
    case again(SentCode)
    case registered
    case linked
    /// To the address that an account had until now.
    case replaced
    /// To the address of an account that signs in by a provider now, too.
    case added
    /// Nothing: the address is unknown, or has had as many codes as it may.
    case none
}

extension CodeMail {
    /// How long it is tried to send it. What somebody must hear is tried for longer than a code counts.
    fileprivate var lifetime: Duration {
        switch self {
        case .new, .again, .registered, .linked, .none: AccountCodeRule.lifetime
        case .replaced, .added: .days(2)
        }
    }
}

extension ApplyContext {
    /// Puts a mail into the outbox, with its code. A request that sends none writes one too, to nobody.
    func send(_ mail: CodeMail, to email: EmailAddress) throws(StoreError) {
        let end = steady.advanced(by: mail.lifetime)
        let pending: PendingMail
        switch mail {
        case .new(let code):
            try transaction.accountCodes.insert(code)
            pending = PendingMail(code)
        case .again(let code): pending = PendingMail(code)
        case .registered: pending = PendingMail(to: email, .registered, expiresAt: end)
        case .linked: pending = PendingMail(to: email, .linked, expiresAt: end)
        case .replaced: pending = PendingMail(to: email, .replaced, expiresAt: end)
        case .added: pending = PendingMail(to: email, .added, expiresAt: end)
        case .none: pending = PendingMail(to: email, .none, expiresAt: end)
        }
        try transaction.mails.insert(pending, dueAt: steady)
        afterCommit.wake(MailDuty.self, at: steady)
        afterCommit.wake(AccountExpiryDuty.self, at: pending.expiresAt)
    }
}

extension PendingMail {
    fileprivate init(_ code: SentCode) {
        self.init(to: code.email, .code(code.purpose.kind, seed: code.seed), expiresAt: code.expiresAt)
    }
}
