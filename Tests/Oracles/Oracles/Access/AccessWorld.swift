/// Who there is, who is in which conversation, and who are friends: the state that rights go by, as plain names.
package struct AccessWorld: Sendable {
    package struct Device: Hashable, Sendable {
        package let user: String
        package let name: String

        package init(user: String, name: String) {
            self.user = user
            self.name = name
        }
    }

    package struct Conversation: Sendable {
        package var members: Set<String>
        /// Who has blocked the other one there.
        package var silent: Set<String> = []
    }

    package enum Role: Hashable, Sendable {
        case person, `operator`, door
    }

    /// Who was revoked is not there.
    package var devices: [Device: Role] = [:]
    package var conversations: [String: Conversation] = [:]
    /// The conversation of each group, whose members are the group's.
    package var groups: [String: String] = [:]
    /// Each pair in the order of the alphabet.
    package var friends: Set<[String]> = []

    package init() {}

    /// Those of two users are others than people's.
    package static func role(of user: String) -> Role {
        switch user {
        case "operator": .operator
        case "web": .door
        default: .person
        }
    }

    package func areFriends(_ one: String, _ other: String) -> Bool { friends.contains([one, other].sorted()) }
}

/// What a client asks of the broker, or what is about to be delivered to it.
package struct AccessQuestion: Hashable, Sendable, CustomStringConvertible {
    package enum Verb: Hashable, Sendable {
        case publish(qos: UInt8, retain: Bool)
        case subscribe
        /// Delivery of what this user has caused.
        case receive(cause: String)
    }

    package var who: AccessWorld.Device
    package var verb: Verb
    /// A topic, or the filter of a subscription.
    package var topic: String

    package init(who: AccessWorld.Device, verb: Verb, topic: String) {
        self.who = who
        self.verb = verb
        self.topic = topic
    }

    package var description: String { "\(who.user)/\(who.name) \(verb) \(topic)" }
}
