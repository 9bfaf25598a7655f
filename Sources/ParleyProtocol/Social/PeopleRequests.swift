/// An operation that lists people (protocol §5).
public protocol PeopleRequest: Query where Reply == ListPage<ListedPerson> {
    var people: ListPeople { get }
}

extension PeopleRequest {
    public func writeFields(to object: inout JSONWriter) { people.writeFields(to: &object) }
}

/// `social/followers`
public struct ListFollowers: PeopleRequest {
    public static let operation = Operation(validatedArea: "social", verb: "followers")
    public static let fields = "user_id? (the caller), limit?=50, cursor?"
    public typealias Reply = ListPage<ListedPerson>

    public let people: ListPeople

    public init(of user: UserID? = nil, page: Page = Page()) { people = ListPeople(.followers, of: user, page: page) }

    public init(_ object: JSONObject) throws(Rejection) { people = try ListPeople(.followers, object) }
}

/// `social/following`
public struct ListFollowing: PeopleRequest {
    public static let operation = Operation(validatedArea: "social", verb: "following")
    public static let fields = "user_id? (the caller), limit?=50, cursor?"
    public typealias Reply = ListPage<ListedPerson>

    public let people: ListPeople

    public init(of user: UserID? = nil, page: Page = Page()) { people = ListPeople(.following, of: user, page: page) }

    public init(_ object: JSONObject) throws(Rejection) { people = try ListPeople(.following, object) }
}

/// `social/blocked`
public struct ListBlocked: PeopleRequest {
    public static let operation = Operation(validatedArea: "social", verb: "blocked")
    public static let fields = "limit?=50, cursor?"
    public typealias Reply = ListPage<ListedPerson>

    public let people: ListPeople

    public init(page: Page = Page()) { people = ListPeople(.blocked, page: page) }

    public init(_ object: JSONObject) throws(Rejection) { people = try ListPeople(.blocked, object) }
}
