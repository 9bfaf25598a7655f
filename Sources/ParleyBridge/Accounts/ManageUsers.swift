import ParleyProtocol
import ParleyRules
import ParleyStore

extension GetUser: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let details = context.snapshot.userDetails
        try ManageUserRule.checkMember(details.standing(of: user))
        guard let user = try details.details(of: user) else { throw Rejection.userNotFound }
        return user.write
    }
}

extension ApplyContext {
    fileprivate func accept(_ user: UserID, isChanged: Bool) {
        let change = UserChange(user: user, isChanged: isChanged)
        accept { change.write(to: &$0) }
    }
}

extension RenameUser: CommandHandler {
    /// - Returns: the profile with the new name; `nil` for a repeat.
    func decide(in context: DecisionContext) throws -> Profile? {
        try ManageUserRule.checkMember(context.facts.userDetails.standing(of: user))
        guard let current = try context.facts.users.profile(user) else { throw Rejection.userNotFound }
        return current.displayName == displayName ? nil : ProfileChange(displayName: displayName).applied(to: current)
    }

    func apply(_ profile: Profile?, in context: ApplyContext) throws(StoreError) {
        if let profile {
            try context.transaction.users.update(profile)
            try context.markNameChanged(of: user)
            try context.boards.renew(user)
        }
        context.accept(user, isChanged: profile != nil)
    }
}

extension DisableUser: CommandHandler {
    /// - Returns: the user's devices; `nil` for a repeat.
    func decide(in context: DecisionContext) throws -> [DeviceAddress]? {
        let isChange = try ManageUserRule.disables(context.facts.userDetails.standing(of: user))
        return isChange ? try context.facts.devices.addresses(of: user) : nil
    }

    /// For the broker's plugin the devices are at an end; rows, keys and registrations stay.
    func apply(_ devices: [DeviceAddress]?, in context: ApplyContext) throws(StoreError) {
        if let devices {
            try context.transaction.users.setDisabled(user, at: context.now)
            for address in devices {
                context.drop(address)
                context.changeAudience(.deviceEnded(address))
            }
        }
        context.accept(user, isChanged: devices != nil)
    }
}

extension EnableUser: CommandHandler {
    /// - Returns: the user's devices; `nil` for a repeat.
    func decide(in context: DecisionContext) throws -> [DeviceAddress]? {
        let isChange = try ManageUserRule.enables(context.facts.userDetails.standing(of: user))
        return isChange ? try context.facts.devices.addresses(of: user) : nil
    }

    func apply(_ devices: [DeviceAddress]?, in context: ApplyContext) throws(StoreError) {
        if let devices {
            try context.transaction.users.setDisabled(user, at: nil)
            for address in devices { try context.announceStatus(of: address) }
        }
        context.accept(user, isChanged: devices != nil)
    }
}

extension RemoveUser: CommandHandler {
    /// - Returns: the user's devices; `nil` for a repeat.
    func decide(in context: DecisionContext) throws -> [DeviceAddress]? {
        let isChange = try ManageUserRule.removes(context.facts.userDetails.standing(of: user))
        return isChange ? try context.facts.devices.addresses(of: user) : nil
    }

    func apply(_ devices: [DeviceAddress]?, in context: ApplyContext) throws(StoreError) {
        if let devices { try context.remove(user, devices) }
        context.accept(user, isChanged: devices != nil)
    }
}

extension ApplyContext {
    /// What the gateway writes into conversations for a removed user, such as that they have left, is by a device of
    /// theirs; of one who has none this stands for it.
    private static let removedDevice = DeviceID(validated: "removed")

    fileprivate func remove(_ user: UserID, _ devices: [DeviceAddress]) throws(StoreError) {
        try deleteAccount(by: devices.first ?? DeviceAddress(user: user, device: Self.removedDevice), devices)
    }
}

extension EraseUser: CommandHandler {
    struct Decision {
        let erasure: ManageUserRule.Erasure
        let devices: [DeviceAddress]
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let facts = try context.facts
        let erasure = try ManageUserRule.erases(
            facts.userDetails.standing(of: user), isErased: facts.erasures.isErased(user))
        return Decision(erasure: erasure, devices: try facts.devices.addresses(of: user))
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        if decision.erasure == .ofMember { try context.remove(user, decision.devices) }
        if decision.erasure != .repeated {
            try context.transaction.erasures.begin(user, at: context.now)
            context.afterCommit.wake(ErasureDuty.self, at: context.steady)
        }
        context.accept(user, isChanged: decision.erasure != .repeated)
    }
}

extension ExportUser: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        try ManageUserRule.checkKnown(context.snapshot.userDetails.standing(of: user))
        let list = PagedList(operation: Self.operation, caller: context.caller.user, owner: user)
        let seal = context.reader.seal
        let start: ExportPlace = try page.cursor.map { try seal.open($0, of: list) } ?? .start
        var items = PageBuilder<ExportPlace>(limit: page.limit)
        let next = try context.snapshot.userExport.read(of: user, from: start, limit: page.limit) { place, type, data in
            items.append(place) { writer in
                writer.object { object in
                    object.member("type", type)
                    object.member("data", raw: data)
                }
            }
        }
        return CursorPage(
            name: "items", items: items.json, nextCursor: try next.map { try seal.seal($0, of: list) }
        ).write
    }
}

extension ExportPlace: CursorPosition {}
