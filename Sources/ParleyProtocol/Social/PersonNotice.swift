/// A change between the user and a person: `friend.added` and its like.
public struct PersonNotice: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Both follow each other now.
        case friendAdded = "friend.added"
        /// They do not follow each other any more.
        case friendRemoved = "friend.removed"
        /// The user has blocked them, on any device: they are to be hidden.
        case userBlocked = "user.blocked"
        case userUnblocked = "user.unblocked"
    }

    public let kind: Kind
    /// The person.
    public let user: UserID

    public init(_ kind: Kind, _ user: UserID) { (self.kind, self.user) = (kind, user) }
}

extension PersonNotice: PersonalEvent {
    package static let names = Kind.allCases.map(\.rawValue)
    public var name: String { kind.rawValue }

    package var received: ReceivedEvent {
        switch kind {
        case .friendAdded: .friendAdded(self)
        case .friendRemoved: .friendRemoved(self)
        case .userBlocked, .userUnblocked: .other(self)
        }
    }

    /// The data are those of a change of keys: the user.
    package static func read(_ name: String, _ data: JSONObject) throws(ReadingError) -> any PublishedEvent {
        guard let kind = Kind(rawValue: name) else { throw .field(name) }
        return PersonNotice(kind, try KeysChange(reading: data).user)
    }

    package func write(to writer: inout JSONWriter) { writer.object { $0.member("user_id", user) } }
}
