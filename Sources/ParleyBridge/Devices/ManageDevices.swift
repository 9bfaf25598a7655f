import ParleyProtocol
import ParleyRules
import ParleyStore

extension Writer {
    /// `keys/publish`
    func publish(
        _ keys: PublishKeys, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        try keys.check(of: route.address)
        let (user, facts) = (route.address.user, transaction.facts)
        let decision = try AcceptKeys.decide(
            keys, by: route.address.device,
            facts: AcceptKeys.Facts(
                accountKey: try facts.accountKey(of: user), published: try facts.keys(of: route.address)), now: now)
        switch decision.account {
        case .none: break
        case .first(let key), .reset(let key): try transaction.setAccountKey(key, of: user)
        }
        if decision.isChange {
            try transaction.setKeys(decision.keys, of: user)
            forget(route.address)
            try noteKeyChange(of: user, transaction, now: now)
        }
        let keys = try facts.userKeys(of: user)
        effects.outgoing.accept(route) { keys.write(to: &$0) }
    }

    /// `devices/revoke`
    func revoke(
        _ device: DeviceID, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let address = DeviceAddress(user: route.address.user, device: device)
        try end(address, transaction, &effects, now: now)
        try endIssued(by: address, transaction, &effects, now: now)
        let devices = try transaction.facts.devices(of: route.address.user)
        effects.outgoing.accept(route) { writer in
            writer.object { object in
                object.member("devices", array: devices) {
                    $1.write(to: &$0, isCurrent: $1.device == route.address.device)
                }
            }
        }
    }

    /// `admin/revoke-device`
    func revoke(
        _ request: RevokeUserDevice, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        try end(request.address, transaction, &effects, now: now)
        if !request.keepsIssued { try endIssued(by: request.address, transaction, &effects, now: now) }
        guard let user = try transaction.facts.userSummary(request.address.user) else { throw Rejection.userNotFound }
        effects.outgoing.accept(route) { user.write(to: &$0) }
    }

    /// Ends the devices whose tokens came from this one: whoever had it may have made them for himself.
    private func endIssued(
        by maker: DeviceAddress, _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws {
        for device in try transaction.facts.devicesMade(by: maker) {
            try end(device, transaction, &effects, now: now)
        }
    }

    /// Ends a device; one that has ended already stays so.
    private func end(
        _ address: DeviceAddress, _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws {
        guard try transaction.facts.device(address) != nil else {
            guard try transaction.facts.hasDevice(address) else { throw Rejection.deviceNotFound }
            return
        }
        if try transaction.facts.keys(of: address) != nil {
            try noteKeyChange(of: address.user, transaction, now: now)
        }
        try transaction.revokeDevice(address, at: now)
        forget(address)
        activity.forget(address)
        effects.audience.append(.deviceEnded(address))
        let revocation = DeviceRevocation(device: address, at: now)
        try effects.event(.user(address.user, .events), transaction) { revocation.writeEvent(to: &$0) }
    }

    /// `admin/add-user`
    func add(
        _ request: AddUser, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let facts = transaction.facts
        if let existing = try facts.userSummary(request.user) {
            guard try facts.hasMember(request.user), existing.displayName == request.displayName ?? existing.displayName
            else { throw Rejection(.conflict, "There is a user of this id already.") }
            effects.outgoing.accept(route) { existing.write(to: &$0) }
            return
        }
        let name = request.displayName ?? request.user.text
        try transaction.insertUser(
            request.user, role: .member, displayName: name, messagePrivacy: request.messagePrivacy ?? .followers,
            at: now)
        let user = UserSummary(user: request.user, displayName: name, createdAt: now, devices: [])
        effects.outgoing.accept(route) { user.write(to: &$0) }
    }
}

extension PublishKeys: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.publish(self, context.route, context.transaction, &effects, now: context.now)
    }
}

extension RevokeDevice: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.revoke(device, context.route, context.transaction, &effects, now: context.now)
    }
}

extension RevokeUserDevice: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.revoke(self, context.route, context.transaction, &effects, now: context.now)
    }
}

extension AddUser: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.add(self, context.route, context.transaction, &effects, now: context.now)
    }
}
