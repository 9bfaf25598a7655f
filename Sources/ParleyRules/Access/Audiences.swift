import ParleyProtocol

/// Which devices there are and who hears what: the facts that every decision about rights goes by.
package struct Audiences: Sendable {
    private var devices: [DeviceAddress: DeviceStanding] = [:]
    private var members: [ConversationID: [UserID]] = [:]

    package init() {}

    /// How a device stands; `nil` if there is none of this address.
    package func standing(of address: DeviceAddress) -> DeviceStanding? { devices[address] }

    /// Whether the user is a member of the conversation; `false` also for one that does not exist.
    package func hears(_ user: UserID, _ conversation: ConversationID) -> Bool {
        guard let members = members[conversation] else { return false }
        return members.contains(user)
    }

    package mutating func set(_ standing: DeviceStanding, for address: DeviceAddress) { devices[address] = standing }

    package mutating func end(_ address: DeviceAddress) { devices[address] = nil }

    package mutating func set(_ members: [UserID], of conversation: ConversationID) {
        self.members[conversation] = members
    }

    package mutating func end(_ conversation: ConversationID) { members[conversation] = nil }
}

/// A device in good standing, as rights see it.
package struct Bearer: Hashable, Sendable {
    package let address: DeviceAddress
    package let isOperator: Bool

    package init(address: DeviceAddress, isOperator: Bool) {
        self.address = address
        self.isOperator = isOperator
    }

    /// `nil` when the device's token has ended.
    package init?(_ address: DeviceAddress, _ standing: DeviceStanding, now: Int64) {
        guard now < standing.expiresAt else { return nil }
        self.init(address: address, isOperator: standing.isOperator)
    }
}
