import ParleyProtocol
import ParleyRules
import ParleyStore

extension GetKeys: QueryHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let keys = try keys(for: context.caller.user, context)
        outgoing.accept(context.route) { keys.write(to: &$0) }
    }

    private func keys(for caller: UserID, _ context: QueryContext) throws -> UserKeys {
        try context.reader.limits.keyFetches.charge(
            lookAt: user, by: caller, context.snapshot, now: context.now)
        guard try context.snapshot.users.hasMember(user) else { throw Rejection.userNotFound }
        return try context.snapshot.accounts.userKeys(of: user)
    }
}

extension ListDevices: QueryHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let caller = context.caller
        let devices = try context.snapshot.devices.summaries(of: caller.user)
        outgoing.accept(context.route) { DeviceList(devices, askedBy: caller.device).write(to: &$0) }
    }
}

extension ListUsers: QueryHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let page = try context.page(page, of: Self.operation) { (place: UserPlace?, page) in
            for user in try context.snapshot.users.summaries(after: place?.user, limit: page.limit + 1) {
                guard page.append(UserPlace(user.user), user.write) else { break }
            }
        }
        outgoing.accept(context.route) { page.write(to: &$0, as: "users") }
    }
}
