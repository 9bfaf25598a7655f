import ParleyIdentity
import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

/// The plan of a sign-in.
struct SignInPlan {
    /// A user without an account yet.
    struct NewMember {
        let user: UserID
        let displayName: String
        let identity: StoredIdentity
        let password: PasswordHash?
    }

    let member: NewMember?
    let token: TokenIssue
    let deviceName: String?
    /// The user's password, hashed at the present cost; `nil` if it stays.
    var rehashed: PasswordHash?
}

extension DecisionContext {
    /// - Parameter command: the id of a new device follows from its digest.
    func signIn(
        _ user: UserID, on new: SignInDevice, _ member: SignInPlan.NewMember? = nil, by command: some AccountHandler
    ) throws -> SignInPlan {
        let digest = try command.digest(in: self)
        let device = new.device ?? DeviceID(digest: digest)
        let address = DeviceAddress(user: user, device: device)
        try ManageUserRule.checkEnabled(facts.userDetails.standing(of: user), user)
        let devices = try facts.devices.summaries(of: user)
        // Devices with expired tokens do not count: they are of no use any more.
        try SignInDeviceRule.decide(
            devices: devices.count { $0.expiresAt > now }, isNew: !devices.contains { $0.device == device })
        return SignInPlan(
            member: member,
            token: try TokenIssue(to: address, role: .device, days: nil, .anew(by: nil), request: digest, in: self),
            deviceName: new.name)
    }

    /// Whether an invite to a group is live, and so allows an account.
    private func isInvite(_ digest: [UInt8]?) throws -> Bool {
        guard let digest, let invite = try facts.invites.invite(tokenDigest: digest) else { return false }
        let conversation = try conversation(invite.group.conversationID)
        return InviteRule.isLive(
            isRevoked: invite.isRevoked, expiresAt: invite.expiresAt, usesLeft: invite.usesLeft,
            isMakerMember: conversation?.facts.member(invite.maker) != nil, now: now)
    }

    func checkRegistration(of new: NewUser) throws {
        try checkRegistration(of: new.user, inviteDigest: new.invite?.digest)
    }

    func checkRegistration(of user: UserID, inviteDigest: [UInt8]?) throws {
        try RegistrationRule.decide(
            settings.registrationOfPeople, hasInvite: { try isInvite(inviteDigest) }, user: user,
            isTaken: facts.users.role(of: user) != nil)
    }
}

extension DeviceID {
    /// The id of a device that a request makes: a repeat makes the same one.
    fileprivate init(digest: [UInt8]) {
        let digits = Array("0123456789abcdef")
        self.init(
            validated: "d-" + String(digest.prefix(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }))
    }
}

extension ApplyContext {
    func carryOut(_ plan: SignInPlan) throws(StoreError) -> AccountRequestOutcome {
        let address = plan.token.address
        if let member = plan.member {
            try transaction.users.insert(
                member.user, role: .member, displayName: member.displayName, at: now)
            try transaction.identities.set(member.identity, of: member.user)
            if let password = member.password {
                try transaction.passwords.set(password, of: member.user, at: now)
            }
        }
        if let password = plan.rehashed { try transaction.passwords.set(password, of: address.user, at: now) }
        try issue(plan.token)
        if let name = plan.deviceName { try transaction.devices.setName(name, of: address) }
        return .signedIn(address)
    }
}

extension SignInByPassword: AccountHandler {
    struct Finding: Sendable {
        /// The user of the password; `nil` for a wrong one.
        let user: UserID?
        let password: PasswordHash?
        /// The password, hashed at the cost of the settings, if that has changed.
        let rehashed: PasswordHash?
    }

    var work: DeskWork { .hashing }

    func uses(by sender: DeviceAddress) -> [AccountUse] { [.attempt(.network(network)), .attempt(.email(email))] }

    func find(in context: DeskContext) throws -> Finding {
        let (user, stored) = try context.store.read { snapshot in
            let user = try snapshot.identities.user(email)
            return (user, try user.flatMap { try snapshot.passwords.password(of: $0) })
        }
        let isRight = try context.passwords.verify(password, stored)
        let isOutdated = isRight && stored.map(context.passwords.isOutdated) == true
        return Finding(
            user: isRight ? user : nil, password: stored,
            rehashed: isOutdated ? try context.passwords.hash(password) : nil)
    }

    func decide(with finding: Finding, in context: DecisionContext) throws -> SignInPlan {
        // Both may have changed since.
        let owner = try context.facts.identities.user(email)
        let current = try owner.flatMap { try context.facts.passwords.password(of: $0) }
        let user = try SignInRule.decide(
            SignInRule.Facts(verified: finding.user, owner: owner, isCurrent: current == finding.password))
        var plan = try context.signIn(user, on: device, by: self)
        plan.rehashed = finding.rehashed
        return plan
    }

    func carryOut(_ plan: SignInPlan, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        try context.carryOut(plan)
    }
}

extension SignInByProvider: AccountHandler {
    var work: DeskWork { .identity(proof) }

    func uses(by sender: DeviceAddress) -> [AccountUse] { [.attempt(.network(network))] }

    func find(in context: DeskContext) throws -> Identity {
        guard let identity = context.identity else { throw Rejection.internalFault }
        return identity
    }

    func decide(with identity: Identity, in context: DecisionContext) throws -> SignInPlan {
        let owner = try context.facts.identities.user(identity.provider, identity.subject)
        switch try SignInByProviderRule.decide(owner: owner, newUser: newUser) {
        case .signIn(let user): return try context.signIn(user, on: device, by: self)
        case .register(let newUser):
            try context.checkRegistration(of: newUser)
            let member = SignInPlan.NewMember(
                user: newUser.user, displayName: newUser.displayName ?? newUser.user.text,
                identity: StoredIdentity(identity, linkedAt: context.now),
                password: nil)
            return try context.signIn(newUser.user, on: device, member, by: self)
        }
    }

    func carryOut(_ plan: SignInPlan, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        try context.carryOut(plan)
    }
}

extension GetAccountProviders: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let reader = context.reader
        return AccountProviders(
            registration: .known(reader.settings.registrationOfPeople), providers: reader.identityProviders
        ).write
    }
}
