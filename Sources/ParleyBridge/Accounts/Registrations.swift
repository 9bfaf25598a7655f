import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension Register: AccountHandler {
    var work: DeskWork { .hashing }

    func uses(by sender: DeviceAddress) -> [AccountUse] {
        [.registration(network), .mail(.network(network)), .mail(.email(email))]
    }

    /// Hashes for every address, so that the time does not reveal whether it is known; unless registration is closed.
    func find(in context: DeskContext) throws -> PasswordHash {
        try RegistrationRule.check(context.registration)
        return try context.passwords.hash(password)
    }

    /// The reply is the same for every address.
    func decide(with hash: PasswordHash, in context: DecisionContext) throws -> CodeMail {
        try context.checkRegistration(of: newUser)
        guard try context.facts.identities.user(email) == nil else { return .notice(.registered) }
        let account = CodePurpose.NewAccount(
            user: newUser.user, displayName: newUser.displayName, invite: try newUser.invite?.digest)
        return try context.newCode(to: email, .register(account, hash))
    }

    func carryOut(_ mail: CodeMail, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        try context.send(mail, to: email)
        return .done
    }
}

extension VerifyRegistration: AccountHandler {
    struct Finding: Sendable {
        /// Of the code's registration, if the given password is that one; otherwise `nil`.
        let password: PasswordHash?
    }

    enum New {
        case refuse(isAttempt: Bool)
        case signIn(SignInPlan)
    }

    var work: DeskWork { .hashing }

    func uses(by sender: DeviceAddress) -> [AccountUse] { [.attempt(.network(network)), .attempt(.email(email))] }

    /// Hashes in any case, so that the time does not reveal whether there is a registration.
    func find(in context: DeskContext) throws -> Finding {
        // The writer checks that it is live.
        let stored = try context.store.read { try $0.accountCodes.codes(of: email, .register, steady: .earliest) }
        let registered = try code.find(in: stored, context.tokens)?.code.purpose.registration?.password
        return Finding(password: try context.passwords.verify(password, registered) ? registered : nil)
    }

    func decide(with finding: Finding, in context: DecisionContext) throws -> New {
        let code = try context.find(code, of: email, .register)?.code
        let registered = code?.purpose.registration
        let decision = VerifyRegistrationRule.decide(
            isCode: registered != nil, owner: try context.facts.identities.user(email),
            isPassword: registered?.password == finding.password)
        guard decision == .open, let code, let (account, password) = registered else {
            return .refuse(isAttempt: decision == .wrongCode)
        }
        // Since the registration the id may have been taken, and the invite may have ended.
        try context.checkRegistration(of: account.user, inviteDigest: account.invite)
        let member = SignInPlan.NewMember(
            user: account.user, displayName: account.displayName ?? account.user.text,
            identity: StoredIdentity(code.email, linkedAt: context.now), password: password)
        return .signIn(try context.signIn(account.user, on: device, member, by: self))
    }

    func carryOut(_ new: New, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        switch new {
        case .refuse(let isAttempt):
            if isAttempt { try context.transaction.accountCodes.countAttempt(email, .register) }
            return .refused
        case .signIn(let plan):
            try context.transaction.accountCodes.removeAll(of: email, .register)
            return try context.carryOut(plan)
        }
    }
}
