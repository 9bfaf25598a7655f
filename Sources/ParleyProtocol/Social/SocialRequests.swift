/// A list of people that belongs to one of them.
public enum PeopleList: String, Hashable, Sendable, CaseIterable {
    case followers, following, blocked
}

/// A part of a list of people, the newest first: what `social/followers`, `…/following` and `…/blocked` ask for.
public struct ListPeople: Hashable, Sendable {
    public let list: PeopleList
    /// Whose followers, or whom they follow; `nil` for the caller's own. Whom one has blocked is one's own matter.
    public let user: UserID?
    public let page: Page

    public init(_ list: PeopleList, of user: UserID? = nil, page: Page = Page()) {
        self.list = list
        self.user = user
        self.page = page
    }

    init(_ list: PeopleList, _ object: JSONObject) throws(Rejection) {
        self.list = list
        switch list {
        case .followers, .following: user = try object.level("user_id")
        case .blocked: user = nil
        }
        page = try Page(object)
    }

    func writeFields(to object: inout JSONWriter) {
        if let user { object.member("user_id", user) }
        page.writeFields(to: &object)
    }
}

/// `admin/explain`: whether one person may write to another, and why.
public struct ExplainPermission: Query {
    public static let operation = Operation(validatedArea: "admin", verb: "explain")
    public static let fields = "from, to"
    public static let isForOperators = true
    public typealias Reply = Done

    public let sender: UserID
    public let recipient: UserID

    public init(from sender: UserID, to recipient: UserID) {
        self.sender = sender
        self.recipient = recipient
    }

    public init(_ object: JSONObject) throws(Rejection) {
        sender = try object.level("from").required("from")
        recipient = try object.level("to").required("to")
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("from", sender)
        object.member("to", recipient)
    }
}
