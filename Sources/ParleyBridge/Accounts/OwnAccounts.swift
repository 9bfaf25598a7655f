import ParleyIdentity
import ParleyProtocol
import ParleyRules
import ParleyStore

extension Snapshot {
    /// How a user signs in.
    func account(of user: UserID) throws -> AccountState {
        let ways = try identities.identities(of: user)
        return AccountState(
            user: user, email: ways.lazy.compactMap(\.address).first,
            hasPassword: try passwords.password(of: user) != nil,
            providers: ways.filter { $0.provider != .email }.map {
                LinkedProvider(provider: $0.provider, linkedAt: $0.linkedAt)
            })
    }

    fileprivate func ways(of user: UserID) throws -> [IdentityProviderName] {
        try identities.identities(of: user).map(\.provider)
    }
}

extension ApplyContext {
    fileprivate func replyAccount() throws(StoreError) {
        let user = sender.user
        let account = try read { try $0.account(of: user) }
        accept { account.write(to: &$0) }
    }
}

extension GetAccount: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let user = context.caller.user
        try AuthorizeRule.check(refusalOfOperators: Self.refusalOfOperators) {
            try context.snapshot.users.hasMember(user)
        }
        return try context.snapshot.account(of: user).write
    }
}

/// The password given with a request for the caller's own account, and the account's password at that time.
struct PasswordProof: Sendable {
    let proof: PasswordRule.Proof
    let stored: PasswordHash?

    init(_ password: AccountPassword?, in context: DeskContext) throws {
        stored = try context.store.read { try $0.passwords.password(of: context.sender.user) }
        if let password {
            proof = try context.passwords.verify(password, stored) ? .right : .wrong
        } else {
            proof = .missing
        }
    }

    /// - Throws: `forbidden` unless it is the user's present password, or they have none.
    func check(in context: DecisionContext) throws {
        let current = try context.facts.passwords.password(of: context.sender.user)
        try PasswordRule.decide(proof, isCurrent: current == stored, hasPassword: current != nil)
    }
}

extension LinkIdentity: AccountHandler {
    enum Finding: Sendable {
        /// The hash of a first password, where the user had none.
        case email(EmailAddress, PasswordProof, first: PasswordHash?)
        case identity(Identity, PasswordProof)
    }

    enum New {
        case mail(CodeMail, EmailAddress)
        /// A mail tells the user's address, if they have one.
        case identity(StoredIdentity, told: EmailAddress?)
    }

    var work: DeskWork {
        switch way {
        case .email: .hashing
        case .provider(let link): .identityAndHashing(link.proof)
        }
    }

    func uses(by sender: DeviceAddress) -> [AccountUse] {
        switch way {
        case .email(let credentials):
            [.attempt(.user(sender.user)), .mail(.user(sender.user)), .mail(.email(credentials.email))]
        case .provider: [.attempt(.user(sender.user))]
        }
    }

    func find(in context: DeskContext) throws -> Finding {
        switch way {
        case .email(let credentials):
            let proof = try PasswordProof(credentials.password, in: context)
            let first = proof.stored == nil ? try context.passwords.hash(credentials.password) : nil
            return .email(credentials.email, proof, first: first)
        case .provider(let link):
            guard let identity = context.identity else { throw Rejection.internalFault }
            return .identity(identity, try PasswordProof(link.current, in: context))
        }
    }

    func decide(with finding: Finding, in context: DecisionContext) throws -> New {
        let (caller, facts) = (context.sender.user, try context.facts)
        switch finding {
        case .email(let email, let proof, let first):
            try proof.check(in: context)
            switch LinkIdentityRule.decide(addressOf: try facts.identities.user(email), by: caller) {
            case .sendCode: return .mail(try context.mail(to: email, for: caller, .link(caller, first)), email)
            case .tellOwner: return .mail(.notice(.linked), email)
            }
        case .identity(let identity, let proof):
            try proof.check(in: context)
            let ways = try facts.identities.identities(of: caller)
            try LinkIdentityRule.decide(
                identityOf: facts.identities.user(identity.provider, identity.subject), by: caller,
                replaces: ways.contains { $0.provider == identity.provider && $0.subject != identity.subject })
            return .identity(StoredIdentity(identity, linkedAt: context.now), told: ways.address)
        }
    }

    func carryOut(_ new: New, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        switch new {
        case .mail(let mail, let email): try context.send(mail, to: email)
        case .identity(let identity, let address):
            try context.transaction.identities.set(identity, of: context.sender.user)
            if let address { try context.send(.notice(.added), to: address) }
        }
        return .done
    }
}

extension ConfirmEmail: AccountHandler {
    enum New {
        case wrongCode
        /// Replaces the former address, if the user had another one.
        case link(StoredIdentity, first: PasswordHash?, former: EmailAddress?)
    }

    func uses(by sender: DeviceAddress) -> [AccountUse] { [.attempt(.user(sender.user)), .attempt(.email(email))] }

    func decide(with finding: Nothing, in context: DecisionContext) throws -> New {
        let (caller, facts) = (context.sender.user, try context.facts)
        let code = try context.find(code, of: email, .link)?.code
        let decision = ConfirmEmailRule.decide(
            ConfirmEmailRule.Facts(
                codeUser: code?.purpose.user, owner: try facts.identities.user(email),
                hasPassword: try facts.passwords.password(of: caller) != nil), by: caller)
        guard case .link(let setsPassword) = decision, let code, case .link(_, let first) = code.purpose else {
            return .wrongCode
        }
        let former = try facts.identities.identities(of: caller).address
        return .link(
            StoredIdentity(code.email, linkedAt: context.now), first: setsPassword ? first : nil,
            former: former == code.email ? nil : former)
    }

    func carryOut(_ new: New, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        let user = context.sender.user
        switch new {
        case .wrongCode:
            try context.transaction.accountCodes.countAttempt(email, .link)
            return .refused
        case .link(let identity, let first, let former):
            try context.transaction.accountCodes.removeAll(of: email, .link)
            try context.transaction.identities.set(identity, of: user)
            if let first {
                // Link codes sent before the first password were requested without one.
                try context.transaction.accountCodes.removeAll(of: user)
                try context.transaction.passwords.set(first, of: user, at: context.now)
            }
            // A thief of the account does not replace its address in silence.
            if let former { try context.send(.notice(.replaced), to: former) }
            return .done
        }
    }

    func reply(in context: ApplyContext) throws(StoreError) { try context.replyAccount() }
}

extension UnlinkIdentity: AccountHandler {
    enum New {
        case nothing
        /// A mail tells the unlinked address.
        case unlink(told: EmailAddress?)
    }

    var work: DeskWork { .hashing }

    func uses(by sender: DeviceAddress) -> [AccountUse] { [.attempt(.user(sender.user))] }

    func find(in context: DeskContext) throws -> PasswordProof { try PasswordProof(current, in: context) }

    func decide(with proof: PasswordProof, in context: DecisionContext) throws -> New {
        try proof.check(in: context)
        let ways = try context.facts.identities.identities(of: context.sender.user)
        guard try UnlinkIdentityRule.decide(provider, from: ways.map(\.provider)) else { return .nothing }
        return .unlink(told: provider == .email ? ways.address : nil)
    }

    func carryOut(_ new: New, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        let user = context.sender.user
        if case .unlink(let address) = new {
            try context.transaction.identities.remove(provider, of: user)
            // Without an address no password signs in.
            if provider == .email { try context.transaction.passwords.remove(of: user) }
            if let address { try context.send(.notice(.replaced), to: address) }
        }
        return .done
    }

    func reply(in context: ApplyContext) throws(StoreError) { try context.replyAccount() }
}

extension [StoredIdentity] {
    /// The address among a user's ways to sign in.
    fileprivate var address: EmailAddress? { lazy.compactMap(\.address).first.flatMap { EmailAddress($0) } }
}

extension SetPassword: AccountHandler {
    struct Finding: Sendable {
        let current: PasswordProof
        let hash: PasswordHash
    }

    var work: DeskWork { .hashing }

    func uses(by sender: DeviceAddress) -> [AccountUse] { [.attempt(.user(sender.user))] }

    func find(in context: DeskContext) throws -> Finding {
        Finding(
            current: try PasswordProof(current, in: context), hash: try context.passwords.hash(password))
    }

    func decide(with finding: Finding, in context: DecisionContext) throws -> PasswordHash {
        try SetPasswordRule.decide(ways: context.facts.ways(of: context.sender.user))
        try finding.current.check(in: context)
        return finding.hash
    }

    func carryOut(_ hash: PasswordHash, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        // Codes sent under the former password end with it.
        try context.transaction.accountCodes.removeAll(of: context.sender.user)
        try context.transaction.passwords.set(hash, of: context.sender.user, at: context.now)
        return .done
    }
}

extension SignOutEverywhere: CommandHandler {
    func decide(in context: DecisionContext) throws -> [DeviceAddress] {
        let caller = context.sender
        let devices = try context.facts.devices.addresses(of: caller.user).filter { !keepsCaller || $0 != caller }
        try RevokeDeviceRule.check(devices, by: context.revokingCaller)
        return devices
    }

    func apply(_ devices: [DeviceAddress], in context: ApplyContext) throws(StoreError) {
        try context.revoke(devices)
        context.accept { writer in writer.object { _ in } }
    }
}
