public enum PeopleList: String, Hashable, Sendable, CaseIterable {
    case followers, following, blocked
}

/// A part of a list of people, the newest first: the request of `social/followers`, `…/following` and `…/blocked`.
public struct ListPeople: Hashable, Sendable {
    public let list: PeopleList
    /// The owner of the list; `nil` for the caller. A list of blocked people is always the caller's.
    public let user: UserID?
    public let page: Page

    public init(_ list: PeopleList, of user: UserID? = nil, page: Page = Page()) {
        (self.list, self.user, self.page) = (list, user, page)
    }
}

/// `admin/explain`: whether one person may write to another, and why.
public struct ExplainPermission: Query {
    public static let operation = Operation(validatedArea: "admin", verb: "explain")
    package static let askers = Askers.operators

    public let sender: UserID
    public let recipient: UserID

    public init(from sender: UserID, to recipient: UserID) { (self.sender, self.recipient) = (sender, recipient) }

    package init<Pass: FieldPass<ExplainPermission>>(fields pass: inout Pass) throws(Pass.Failure) {
        sender = try pass.required("from", \.sender)
        recipient = try pass.required("to", \.recipient)
    }
}
