import ParleyProtocol
import ParleyRules
import ParleyStore

extension SendAccountCode: AccountHandler {
    func uses(by sender: DeviceAddress) -> [AccountUse] { [.mail(.network(network)), .mail(.email(email))] }

    /// Nothing of the reply depends on the address.
    func decide(with finding: Nothing, in context: DecisionContext) throws -> CodeMail {
        let facts = try context.facts
        if let user = try facts.identities.user(email) { return try context.mail(to: email, for: user, .reset(user)) }
        let pending = try facts.accountCodes.codes(of: email, .register, steady: context.steady)
        // A void one would be of no use to whom the address belongs.
        let live = pending.first { !AccountCodeRule.isVoid(attempts: $0.attempts) }
        if let live { return .again(live.code) }
        guard case .register(let account, let password) = pending.first?.code.purpose else { return .none }
        return try context.mail(to: email, account, password)
    }

    func carryOut(_ mail: CodeMail, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        try context.send(mail, to: email)
        return .done
    }
}

extension ResetPassword: AccountHandler {
    enum New {
        case wrong
        case set(PasswordHash, UserID, devices: [DeviceAddress])
    }

    var work: DeskWork { .hashing }

    func uses(by sender: DeviceAddress) -> [AccountUse] { [.attempt(.network(network)), .attempt(.email(email))] }

    func find(in context: DeskContext) throws -> PasswordHash { try context.passwords.hash(password) }

    func decide(with hash: PasswordHash, in context: DecisionContext) throws -> New {
        guard let user = try context.find(code, of: email, .reset)?.code.purpose.user,
            try context.facts.identities.user(email) == user
        else { return .wrong }
        return .set(hash, user, devices: try context.facts.devices.addresses(of: user))
    }

    func carryOut(_ new: New, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        switch new {
        case .wrong:
            try context.transaction.accountCodes.countAttempt(email, .reset)
            return .refused
        case .set(let hash, let user, let devices):
            // What was begun by the former password ends with it.
            try context.transaction.accountCodes.removeAll(of: user)
            try context.transaction.passwords.set(hash, of: user, at: context.now)
            try context.revoke(devices)
            return .done
        }
    }
}

extension DeviceQueries {
    /// The live devices of a user.
    func addresses(of user: UserID) throws(StoreError) -> [DeviceAddress] {
        try summaries(of: user).map { DeviceAddress(user: user, device: $0.device) }
    }
}
