import ParleyProtocol
import ParleyRules
import ParleyStore

/// What the caller and their friends have achieved, the newest first, or what one of them has. Who is a friend is
/// decided when the list is read.
extension ListActivity: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        if let user { try context.checkFriendship(with: user) }
        return try context.page(page, of: Self.operation, owner: user) { (place: NumberPlace?, page) in
            let key = place.map { ActivityKey(value: $0.value) }
            try snapshot.activities.read(of: user, seenBy: caller, before: key) { stored in
                page.append(NumberPlace(value: stored.key.value), stored.item.write)
            }
        }.write
    }
}

extension QueryContext {
    /// Whether the caller may see what a user shows to their friends: they are one, or it is they themselves.
    ///
    /// - Throws: `not_found` for nobody, `forbidden` for a stranger, `rate_limited` where they have looked at too many.
    func checkFriendship(with user: UserID) throws {
        guard user != caller.user else { return }
        try chargeLookup(of: user)
        try ViewActivityRule.check(
            isMember: snapshot.users.hasMember(user), snapshot.contacts.contact(caller.user, user))
    }
}
