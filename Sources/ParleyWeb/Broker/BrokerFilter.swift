import MQTTPackets
import ParleyProtocol

/// A subscription that the door makes for a device.
struct BrokerFilter: Hashable, Sendable {
    let subscription: OutboundPacket.Subscription

    /// - Parameter takesRetained: whether retained messages are delivered. Not for states that apps can request.
    init(_ name: String, _ quality: OutboundPacket.Quality = .atLeastOnce, takesRetained: Bool = false) {
        var subscription = OutboundPacket.Subscription(filter: Array(name.utf8), quality: quality)
        subscription.takesRetained = takesRetained
        self.subscription = subscription
    }

    static func own(_ user: UserID) -> [BrokerFilter] {
        [BrokerFilter("\(Topic.prefix)users/\(user)/+"), BrokerFilter(Topic.gatewayStatus.name)]
    }

    static func conversation(_ id: ConversationID) -> BrokerFilter {
        BrokerFilter("\(Topic.prefix)conversations/\(id)/+")
    }

    static func group(_ id: GroupID) -> [BrokerFilter] {
        GroupChannel.allCases.map { BrokerFilter(Topic.group(id, $0).name) }
    }

    static func friend(_ user: UserID) -> [BrokerFilter] {
        [
            BrokerFilter(Topic.user(user, .presence).name, takesRetained: true),
            BrokerFilter(Topic.user(user, .activity).name),
        ]
    }
}
