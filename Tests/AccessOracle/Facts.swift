/// Everything that decides about rights, as the protocol speaks of it.
package struct Facts: Sendable {
    /// A device that is there and was not revoked.
    package struct Standing: Hashable, Sendable {
        package var token: Int
        package var endsAt: Int
        package var isOperator: Bool
    }

    package struct Conversation: Hashable, Sendable {
        package var members: Set<String>
        /// One of the two has blocked the other.
        package var isSilent: Bool

        package init(members: Set<String>, isSilent: Bool) {
            self.members = members
            self.isSilent = isSilent
        }
    }

    /// How many connections there may be.
    package struct Bounds: Hashable, Sendable {
        package var ofDevice = 2
        package var ofUser = 3
        package var ofAll = 6
        package var namesOfDevice = 3

        package init() {}
    }

    static let day = 86_400

    package let bounds: Bounds
    /// Seconds.
    package internal(set) var now: Int
    /// Whether the gateway has told the broker everything; until then no device has any right.
    package internal(set) var isReady = false
    package internal(set) var devices: [Device: Standing] = [:]
    package internal(set) var conversations: [String: Conversation] = [:]
    package internal(set) var friends: Set<Set<String>> = []
    /// The connections there are, and which token each goes by.
    package internal(set) var connected: [ClientName: Int] = [:]
    /// When each device has used each `x` last.
    var names: [Device: [String: Int]] = [:]

    package init(now: Int, bounds: Bounds = Bounds()) {
        self.now = now
        self.bounds = bounds
    }

    package func areFriends(_ one: String, _ other: String) -> Bool { friends.contains([one, other]) }

    func isMember(_ user: String, of conversation: String) -> Bool {
        conversations[conversation]?.members.contains(user) ?? false
    }
}
