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
        let sent = try stored.map { (code: try tokens.accountCode(seed: $0.code.seed), attempts: $0.attempts) }
        return AccountCodeRule.find(self, in: sent).map { stored[$0] }
    }
}

extension DecisionContext {
    /// The live code of an address and purpose that this is; `nil` for a wrong one.
    func find(
        _ code: AccountCode, of email: EmailAddress, _ kind: CodePurpose.Kind
    ) throws -> StoredCode? {
        try code.find(in: facts.accountCodes.codes(of: email, kind, steady: steady), tokens)
    }

    /// A mail with a new code for a registration. How many there are, the limit of mails bounds: whoever registers the
    /// address of another is not to use up theirs.
    func mail(to email: EmailAddress, _ account: CodePurpose.NewAccount, _ password: PasswordHash) throws -> CodeMail {
        .new(try code(to: email, .register(account, password)))
    }

    /// A mail with a new code for what a user has asked for; with the last one where they have as many as they may.
    func mail(to email: EmailAddress, for user: UserID, _ purpose: CodePurpose) throws -> CodeMail {
        // A void one is of no use to whom the address belongs.
        let stored = try facts.accountCodes.codes(of: email, purpose.kind, steady: steady)
            .filter { !AccountCodeRule.isVoid(attempts: $0.attempts) }
        if stored.count < AccountCodeRule.mostCodes { return .new(try code(to: email, purpose)) }
        return stored.first { $0.code.purpose.user == user }.map { .again($0.code) } ?? .none
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
