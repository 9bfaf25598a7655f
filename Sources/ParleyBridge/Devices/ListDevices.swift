import ParleyProtocol
import ParleyRules
import ParleyStore

extension GetKeys: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let snapshot = context.snapshot
        try context.chargeLookup(of: user, .keyFetches)
        guard try snapshot.users.hasMember(user) else { throw Rejection.userNotFound }
        return try snapshot.accounts.userKeys(of: user).write
    }
}

extension ListDevices: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, devices) = (context.caller, context.snapshot.devices)
        return DeviceList(try devices.summaries(of: caller.user), askedBy: caller.device).write
    }
}

extension ListUsers: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        return try context.page(page, of: Self.operation, as: "users") { (position: UserPosition?, page) in
            for user in try context.snapshot.users.summaries(after: position?.user, limit: page.limit + 1) {
                guard page.append(UserPosition(user.user), user.write) else { break }
            }
        }.write
    }
}
