import ParleyProtocol

/// The facts of all decisions about rights: devices, audiences and limits.
package struct Audiences: Sendable {
    private struct Conversation: Sendable {
        let members: [UserID]
        let silences: [Silence]
        /// Whether it belongs to a training group.
        var isGroups = false
    }

    /// How many conversations and training groups a user is in.
    private struct Memberships: Sendable {
        var conversations = 0
        var groups = 0
    }

    package var limits = BrokerLimits()
    private var devices: [DeviceAddress: DeviceStatus] = [:]
    private var conversations: [ConversationID: Conversation] = [:]
    /// The conversation of each training group.
    private var groups: [GroupID: ConversationID] = [:]
    /// Each pair is stored under both.
    private var friends: [UserID: Set<UserID>] = [:]
    private var memberships: [UserID: Memberships] = [:]

    package init() {}

    package func status(of address: DeviceAddress) -> DeviceStatus? { devices[address] }

    package var addresses: [DeviceAddress] { Array(devices.keys) }

    package func isMember(_ user: UserID, of conversation: ConversationID) -> Bool {
        conversations[conversation]?.members.contains(user) ?? false
    }

    package func isMember(_ user: UserID, of group: GroupID) -> Bool {
        groups[group].map { isMember(user, of: $0) } ?? false
    }

    /// Whether an event of the conversation reaches the user: a member, if no silence covers it.
    ///
    /// - Parameter event: read only with a silence.
    package func hears(_ user: UserID, _ conversation: ConversationID, _ event: Span<UInt8>) -> Bool {
        guard let conversation = conversations[conversation], conversation.members.contains(user) else { return false }
        guard let silence = conversation.silences.first(where: { $0.user == user }) else { return true }
        let origin = EventOrigin(of: event)
        if origin.user == user { return true }
        guard silence.through != Silence.always else { return false }
        return origin.seq.map { $0 > silence.through } ?? true
    }

    package func areFriends(_ one: UserID, _ other: UserID) -> Bool { friends[one]?.contains(other) ?? false }

    package mutating func set(_ status: DeviceStatus, for address: DeviceAddress) { devices[address] = status }

    package mutating func end(_ address: DeviceAddress) { devices[address] = nil }

    package mutating func set(_ members: [UserID], silences: [Silence] = [], of conversation: ConversationID) {
        let isGroups = conversations[conversation]?.isGroups ?? false
        replace(conversation, with: Conversation(members: members, silences: silences, isGroups: isGroups))
    }

    package mutating func end(_ conversation: ConversationID) { replace(conversation, with: nil) }

    /// The topics of a training group are for the members of its conversation, which is set before.
    package mutating func set(_ conversation: ConversationID, of group: GroupID) {
        end(group)
        guard var changed = conversations[conversation] else { return }
        changed.isGroups = true
        replace(conversation, with: changed)
        groups[group] = conversation
    }

    package mutating func end(_ group: GroupID) {
        guard let conversation = groups.removeValue(forKey: group), var changed = conversations[conversation] else {
            return
        }
        changed.isGroups = false
        replace(conversation, with: changed)
    }

    private mutating func replace(_ id: ConversationID, with conversation: Conversation?) {
        let before = conversations[id]
        conversations[id] = conversation
        if let conversation { count(conversation, as: 1) }
        if let before { count(before, as: -1) }
    }

    private mutating func count(_ conversation: Conversation, as change: Int) {
        for member in conversation.members {
            var counts = memberships[member] ?? Memberships()
            counts.conversations += change
            if conversation.isGroups { counts.groups += change }
            memberships[member] = counts.conversations > 0 ? counts : nil
        }
    }

    package func conversationCount(of user: UserID) -> Int { memberships[user]?.conversations ?? 0 }

    package func groupCount(of user: UserID) -> Int { memberships[user]?.groups ?? 0 }

    package func friendCount(of user: UserID) -> Int { friends[user]?.count ?? 0 }

    package mutating func befriend(_ one: UserID, _ other: UserID) {
        guard one != other else { return }
        friends[one, default: []].insert(other)
        friends[other, default: []].insert(one)
    }

    package mutating func unfriend(_ one: UserID, _ other: UserID) {
        forget(one, of: other)
        forget(other, of: one)
    }

    private mutating func forget(_ friend: UserID, of user: UserID) {
        friends[user]?.remove(friend)
        if friends[user]?.isEmpty == true { friends[user] = nil }
    }
}

/// A signed-in device, as rights see it.
package struct Bearer: Hashable, Sendable {
    package let address: DeviceAddress
    package let role: DeviceRole

    package init(address: DeviceAddress, role: DeviceRole) { (self.address, self.role) = (address, role) }

    var isOperator: Bool { role == .operator }

    /// `nil` when the token of its sign-in has ended.
    package init?(_ device: Connections.SignedIn, now: Int64) {
        self.init(device.address, device.status, token: device.token, now: now)
    }

    /// `nil` when this token of the device's has ended.
    package init?(_ address: DeviceAddress, _ status: DeviceStatus, token: TokenID, now: Int64) {
        guard let end = status.end(of: token), now < end else { return nil }
        self.init(address: address, role: status.role)
    }
}
