import ParleyProtocol
import ParleyRules
import ParleyStore

extension SendAccountCode: AccountHandler {
    func uses(by sender: DeviceAddress) -> [AccountUse] { [.mail(.network(network)), .mail(.email(email))] }

    /// The reply is the same for every address.
    func decide(with finding: Nothing, in context: DecisionContext) throws -> CodeMail {
        let facts = try context.facts
        let codes = try facts.accountCodes.codes(of: email, .register, steady: context.steady)
        switch SendCodeRule.decide(owner: try facts.identities.user(email), registrations: codes.map(\.sent)) {
        case .reset(let user): return try context.mail(to: email, for: user, .reset(user))
        case .again(let index): return .code(codes[index].code, isNew: false)
        case .renew(let index): return try context.newCode(to: email, codes[index].code.purpose)
        case .nothing: return .notice(.none)
        }
    }

    func carryOut(_ mail: CodeMail, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        try context.send(mail, to: email)
        return .done
    }
}

extension ResetPassword: AccountHandler {
    enum New {
        case wrongCode
        case set(PasswordHash, UserID, devices: [DeviceAddress])
    }

    var work: DeskWork { .hashing }

    func uses(by sender: DeviceAddress) -> [AccountUse] { [.attempt(.network(network)), .attempt(.email(email))] }

    func find(in context: DeskContext) throws -> PasswordHash { try context.passwords.hash(password) }

    func decide(with hash: PasswordHash, in context: DecisionContext) throws -> New {
        let codeUser = try context.find(code, of: email, .reset)?.code.purpose.user
        let owner = try context.facts.identities.user(email)
        guard let user = ResetPasswordRule.decide(codeUser: codeUser, owner: owner) else { return .wrongCode }
        return .set(hash, user, devices: try context.facts.devices.addresses(of: user))
    }

    func carryOut(_ new: New, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        switch new {
        case .wrongCode:
            try context.transaction.accountCodes.countAttempt(email, .reset)
            return .refused
        case .set(let hash, let user, let devices):
            // Codes sent under the former password end with it.
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
