/// An operation that lists people (protocol §5).
package protocol PeopleRequest: Query where Reply == ListPage<ListedPerson> {
    var people: ListPeople { get }
}

extension PeopleRequest {
    package var page: Page { people.page }
}

/// `social/followers`
public struct ListFollowers: PeopleRequest {
    public static let operation = Operation(validatedArea: "social", verb: "followers")

    public let people: ListPeople

    public init(of user: UserID? = nil, page: Page = Page()) { people = ListPeople(.followers, of: user, page: page) }

    package init<Pass: FieldPass<ListFollowers>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(of: try pass.optional("user_id", \.people.user), page: try pass.part(\.people.page))
    }
}

/// `social/following`
public struct ListFollowing: PeopleRequest {
    public static let operation = Operation(validatedArea: "social", verb: "following")

    public let people: ListPeople

    public init(of user: UserID? = nil, page: Page = Page()) { people = ListPeople(.following, of: user, page: page) }

    package init<Pass: FieldPass<ListFollowing>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(of: try pass.optional("user_id", \.people.user), page: try pass.part(\.people.page))
    }
}

/// `social/blocked`
public struct ListBlocked: PeopleRequest, PageRequest {
    public static let operation = Operation(validatedArea: "social", verb: "blocked")

    public let people: ListPeople

    public init(page: Page = Page()) { people = ListPeople(.blocked, page: page) }
}
