import ParleyProtocol
import ParleyStore

/// Answers the three lists of people as the caller sees them: followers, people followed and people blocked.
protocol PeopleHandler: PeopleRequest, QueryHandler {}

extension PeopleHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        let owner = people.user ?? caller
        try context.chargeLookup(of: owner)
        guard try snapshot.users.hasMember(owner) else { throw Rejection.userNotFound }
        return try context.page(people.page, of: Self.operation, owner: owner) { (position: ListPosition?, page) in
            let listed = try snapshot.people.page(
                people.list, of: owner, seenBy: caller, after: position, limit: page.limit + 1)
            for person in listed {
                let isAdded = page.append(ListPosition(time: person.since, user: person.user), person.shown.write)
                guard isAdded else { break }
            }
        }.write
    }
}

extension ListFollowers: PeopleHandler {}
extension ListFollowing: PeopleHandler {}
extension ListBlocked: PeopleHandler {}

extension PersonListing {
    fileprivate var shown: ListedPerson {
        ListedPerson(user: user, displayName: displayName, photoURL: photoURL, since: since)
    }
}
