import ParleyProtocol
import ParleyRules
import ParleyStore

extension PublishKeys: CommandHandler {
    func decide(in context: DecisionContext) throws -> AcceptKeys.Decision {
        try check(of: context.sender)
        let facts = try context.facts
        return try AcceptKeys.decide(
            self, by: context.sender.device,
            facts: AcceptKeys.Facts(
                accountKey: try facts.accounts.key(of: context.sender.user),
                published: try facts.devices.keys(of: context.sender)
            ),
            now: context.now)
    }

    func apply(_ decision: AcceptKeys.Decision, in context: ApplyContext) throws(StoreError) {
        let user = context.sender.user
        switch decision.account {
        case .none: break
        case .first(let key), .reset(let key): try context.transaction.accounts.setKey(key, of: user)
        }
        if decision.isChange {
            try context.transaction.devices.setKeys(decision.keys, of: user)
            context.drop(context.sender)
            try context.markKeysChanged(of: user)
        }
        let keys = try context.read { try $0.accounts.userKeys(of: user) }
        context.accept { keys.write(to: &$0) }
    }
}

/// The live devices that are revoked.
struct Revocation {
    fileprivate let devices: [DeviceAddress]

    /// - Parameter endsIssued: whether the devices end, too, whose tokens came from this one: whoever had it may have
    ///   made them for themselves.
    fileprivate init(of address: DeviceAddress, endsIssued: Bool, in context: DecisionContext) throws {
        let facts = try context.facts
        var devices: [DeviceAddress] = []
        if try facts.devices.device(address) != nil {
            devices.append(address)
        } else if try !facts.devices.exists(address) {
            throw Rejection.deviceNotFound
        }
        if endsIssued { devices += try facts.devices.made(by: address) }
        self.devices = devices
    }
}

extension ApplyContext {
    fileprivate func carryOut(_ revocation: Revocation) throws(StoreError) {
        for address in revocation.devices {
            if try read({ try $0.devices.keys(of: address) }) != nil { try markKeysChanged(of: address.user) }
            try transaction.devices.revoke(address, at: now)
            drop(address)
            afterCommit.endedDevices.append(address)
            changeAudience(.deviceEnded(address))
            try publish(DeviceRevocation(device: address, at: now))
        }
    }
}

extension RevokeDevice: CommandHandler {
    func decide(in context: DecisionContext) throws -> Revocation {
        let address = DeviceAddress(user: context.sender.user, device: device)
        let revocation = try Revocation(of: address, endsIssued: true, in: context)
        // What was revoked before is answered as it was.
        if address != context.sender, !revocation.devices.isEmpty {
            try checkIsCertified(context.sender, context.facts)
        }
        return revocation
    }

    /// A token that somebody has got hold of is enough to sign in, and must not be enough to end all devices that the
    /// account key has certified. Who has lost these resets the account key, or asks an operator.
    private func checkIsCertified(_ sender: DeviceAddress, _ facts: Snapshot) throws {
        guard try facts.accounts.key(of: sender.user) != nil, try facts.devices.keys(of: sender)?.certificate == nil
        else { return }
        throw Rejection(.forbidden, "Only a linked device may remove another one.")
    }

    func apply(_ revocation: Revocation, in context: ApplyContext) throws(StoreError) {
        try context.carryOut(revocation)
        let sender = context.sender
        let devices = try context.read { try $0.devices.summaries(of: sender.user) }
        context.accept { DeviceList(devices, askedBy: sender.device).write(to: &$0) }
    }
}

extension RevokeUserDevice: CommandHandler {
    func decide(in context: DecisionContext) throws -> Revocation {
        try Revocation(of: address, endsIssued: !keepsIssued, in: context)
    }

    func apply(_ revocation: Revocation, in context: ApplyContext) throws(StoreError) {
        try context.carryOut(revocation)
        guard let user = try context.read({ try $0.users.summary(address.user) }) else {
            throw .inconsistent(.missingUser)
        }
        context.accept { user.write(to: &$0) }
    }
}

extension AddUser: CommandHandler {
    enum Decision {
        case repeated(UserSummary)
        case insert(displayName: String)
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let facts = try context.facts
        guard let existing = try facts.users.summary(user) else {
            return .insert(displayName: displayName ?? user.text)
        }
        guard try facts.users.hasMember(user), existing.displayName == displayName ?? existing.displayName else {
            throw Rejection(.conflict, "There is a user of this id already.")
        }
        return .repeated(existing)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let summary: UserSummary
        switch decision {
        case .repeated(let existing): summary = existing
        case .insert(let name):
            try context.transaction.users.insert(
                user, role: .member, displayName: name, messagePrivacy: messagePrivacy ?? .followers, at: context.now)
            summary = UserSummary(user: user, displayName: name, createdAt: context.now, devices: [])
        }
        context.accept { summary.write(to: &$0) }
    }
}
