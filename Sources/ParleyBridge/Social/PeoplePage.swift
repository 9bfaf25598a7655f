import ParleyProtocol
import ParleyStore

/// A page of followers, of people followed or of people blocked, as its caller sees it.
struct PeoplePage {
    private let people: ArraySlice<PersonListing>
    private let nextCursor: String?

    static func read(_ request: ListPeople, for caller: UserID, _ snapshot: Snapshot) throws -> PeoplePage {
        let owner = request.user ?? caller
        guard try snapshot.hasMember(owner) else { throw Rejection.userNotFound }
        let list = PagedList(name: "social/\(request.list.rawValue)", caller: caller, owner: owner)
        let cursor = try PageCursor(request.page.cursor, of: list)
        let people = try snapshot.people(
            request.list, of: owner, seenBy: caller, after: cursor?.position, limit: request.page.limit + 1)
        let page = people.prefix(request.page.limit)
        let last = people.count > page.count ? page.last : nil
        return PeoplePage(
            people: page,
            nextCursor: try last.map { try PageCursor(ListPosition(time: $0.since, user: $0.user)).text(of: list) })
    }

    func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("items", array: people) { writer, person in
                writer.object {
                    $0.member("user_id", person.user)
                    $0.member("display_name", person.displayName)
                    $0.member("photo_url", person.photoURL)
                    $0.member("created_at", person.since)
                }
            }
            object.member("next_cursor", nextCursor)
        }
    }
}

/// What answers all three.
protocol PeopleHandler: PeopleRequest, QueryHandler {}

extension PeopleHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        try context.reader.limits.chargeLookup(of: people.user ?? caller, by: caller, snapshot, now: context.now)
        let page = try PeoplePage.read(people, for: caller, snapshot)
        outgoing.accept(context.route) { page.write(to: &$0) }
    }
}

extension ListFollowers: PeopleHandler {}
extension ListFollowing: PeopleHandler {}
extension ListBlocked: PeopleHandler {}
