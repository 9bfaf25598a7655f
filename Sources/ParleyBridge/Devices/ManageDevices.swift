import ParleyProtocol
import ParleyRules
import ParleyStore

extension PublishKeys: CommandHandler {
    func decide(in context: DecisionContext) throws -> PublishKeysRule.Decision {
        let facts = try context.facts
        return try PublishKeysRule.decide(
            self, by: context.sender.device,
            facts: PublishKeysRule.Facts(
                fault: try fault(of: context.sender), accountKey: try facts.accounts.key(of: context.sender.user),
                published: try facts.devices.keys(of: context.sender)
            ),
            now: context.now)
    }

    func apply(_ decision: PublishKeysRule.Decision, in context: ApplyContext) throws(StoreError) {
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

extension DeviceQueries {
    /// The devices that end with one.
    ///
    /// - Parameter endsIssued: whether those do whose tokens came from it.
    fileprivate func ended(
        with address: DeviceAddress, by caller: RevokeDeviceRule.Caller?, endsIssued: Bool
    ) throws -> [DeviceAddress] {
        try RevokeDeviceRule.decide(
            address, by: caller, wasMade: exists(address), isLive: isLive(address),
            issued: endsIssued ? made(by: address) : [])
    }
}

extension DecisionContext {
    /// The calling device as one that revokes others of its user.
    var revokingCaller: RevokeDeviceRule.Caller {
        get throws {
            RevokeDeviceRule.Caller(
                sender, hasAccountKey: try facts.accounts.key(of: sender.user) != nil,
                isCertified: try facts.devices.keys(of: sender)?.certificate != nil)
        }
    }
}

extension ApplyContext {
    func revoke(_ devices: [DeviceAddress]) throws(StoreError) {
        for address in devices {
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
    func decide(in context: DecisionContext) throws -> [DeviceAddress] {
        let sender = context.sender
        return try context.facts.devices.ended(
            with: DeviceAddress(user: sender.user, device: device), by: context.revokingCaller, endsIssued: true)
    }

    func apply(_ devices: [DeviceAddress], in context: ApplyContext) throws(StoreError) {
        try context.revoke(devices)
        let sender = context.sender
        let devices = try context.read { try $0.devices.summaries(of: sender.user) }
        context.accept { DeviceList(devices, askedBy: sender.device).write(to: &$0) }
    }
}

extension RevokeUserDevice: CommandHandler {
    func decide(in context: DecisionContext) throws -> [DeviceAddress] {
        try context.facts.devices.ended(with: address, by: nil, endsIssued: !keepsIssued)
    }

    func apply(_ devices: [DeviceAddress], in context: ApplyContext) throws(StoreError) {
        try context.revoke(devices)
        guard let user = try context.read({ try $0.users.summary(address.user) }) else {
            throw .inconsistent(.missingUser)
        }
        context.accept { user.write(to: &$0) }
    }
}

extension AddUser: CommandHandler {
    func decide(in context: DecisionContext) throws -> AddUserRule.Decision {
        let users = try context.facts.users
        return try AddUserRule.decide(
            self, existing: users.summary(user), privacy: users.profile(user)?.messagePrivacy)
    }

    func apply(_ decision: AddUserRule.Decision, in context: ApplyContext) throws(StoreError) {
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
