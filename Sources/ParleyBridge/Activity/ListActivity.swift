import ParleyProtocol
import ParleyRules
import ParleyStore

/// Items of activity of the caller and their present friends, or of one of them, the newest first.
extension ListActivity: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        if let user { try context.checkFriendship(with: user) }
        return try context.page(page, of: Self.operation, owner: user) { (key: ActivityKey?, page) in
            try snapshot.activities.read(of: user, seenBy: caller, before: key) { stored in
                page.append(stored.key, stored.item.write)
            }
        }.write
    }
}

extension QueryContext {
    /// Checks that the user is the caller or a friend.
    ///
    /// - Throws: `not_found`, `forbidden` for a stranger, `rate_limited` after too many lookups.
    func checkFriendship(with user: UserID) throws {
        guard user != caller.user else { return }
        try chargeLookup(of: user)
        try ViewActivityRule.check(
            isMember: snapshot.users.hasMember(user), snapshot.contacts.contact(caller.user, user))
    }
}
