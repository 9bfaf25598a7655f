import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension Register: AccountHandler {
    var work: DeskWork { .hashing }

    func uses(by sender: DeviceAddress) -> [AccountUse] {
        [.registration(network), .mail(.network(network)), .mail(.email(email))]
    }

    /// Hashes whatever the address is, so that the time tells nothing.
    func find(in context: DeskContext) throws -> PasswordHash { try context.passwords.hash(password) }

    /// Nothing of the reply depends on the address.
    func decide(with hash: PasswordHash, in context: DecisionContext) throws -> CodeMail {
        try context.checkRegistration(of: newUser)
        guard try context.facts.identities.user(email) == nil else { return .registered }
        let account = CodePurpose.NewAccount(
            user: newUser.user, displayName: newUser.displayName, invite: try newUser.invite?.digest)
        return try context.mail(to: email, .register(account, hash))
    }

    func carryOut(_ mail: CodeMail, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        try context.send(mail, to: email)
        return .done
    }
}

extension VerifyRegistration: AccountHandler {
    enum New {
        case wrong
        case signIn(SignInPlan)
    }

    func uses(by sender: DeviceAddress) -> [AccountUse] { [.attempt(.network(network)), .attempt(.email(email))] }

    func decide(with finding: Nothing, in context: DecisionContext) throws -> New {
        guard let stored = try context.find(code, of: email, .register),
            case .register(let account, let password) = stored.code.purpose,
            try context.facts.identities.user(email) == nil
        else { return .wrong }
        // The registration was open to them when they asked; the id may have been given to another since.
        try RegistrationRule.check(
            .open, hasInvite: { true }, user: account.user, isTaken: context.facts.users.role(of: account.user) != nil)
        let member = SignInPlan.NewMember(
            user: account.user, displayName: account.displayName ?? account.user.text,
            identity: StoredIdentity(stored.code.email, linkedAt: context.now), password: password)
        return .signIn(try context.signIn(account.user, on: device, member, by: self))
    }

    func carryOut(_ new: New, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        switch new {
        case .wrong:
            try context.transaction.accountCodes.countAttempt(email, .register)
            return .refused
        case .signIn(let plan):
            try context.transaction.accountCodes.removeAll(of: email, .register)
            return try context.carryOut(plan)
        }
    }
}
