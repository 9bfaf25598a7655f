import ParleyProtocol

/// Whether something may happen, and if not, why. The reason is for tests and operators: devices are told none.
package enum AccessDecision: Hashable, Sendable {
    case allowed
    case denied(AccessDenial)

    package var isAllowed: Bool { self == .allowed }
}

package enum AccessDenial: Hashable, Sendable {
    /// There is no snapshot in force.
    case notReady
    /// The client is nobody in good standing: unknown, ended, or no longer the connection of its name.
    case unknownClient
    /// The topic or filter does not belong to the client, or to nobody at all.
    case foreignTopic
    /// Requests are published at QoS 0 or 1.
    case qualityOfService
    /// Requests are not retained.
    case retained
    /// Only operators ask for `admin`.
    case operatorsOnly
}

/// What a device in good standing may do (protocol §2). The gateway may do everything and is not asked about here.
package enum AccessPolicy {
    /// A device publishes requests under its own `up/{uid}/{did}/`, at QoS 0 or 1, never retained.
    package static func publish(_ bearer: Bearer, topic: Span<UInt8>, qos: UInt8, retain: Bool) -> AccessDecision {
        guard let path = TopicPath(parsing: topic), path.kind == .up, path.levelCount == 5,
            path.names(bearer.address, in: topic),
            isLevelIdentifier(topic.extracting(path.third), maximumLength: 64),
            isLevelIdentifier(topic.extracting(path.fourth), maximumLength: 64)
        else { return .denied(.foreignTopic) }
        guard qos <= 1 else { return .denied(.qualityOfService) }
        guard !retain else { return .denied(.retained) }
        guard bearer.isOperator || !topic.extracting(path.third).equals("admin") else { return .denied(.operatorsOnly) }
        return .allowed
    }

    /// The ids in a device's filter are spelled out; wildcards may stand only after them. What would be refused and
    /// what does not exist get the same answer.
    package static func subscribe(_ bearer: Bearer, filter: Span<UInt8>, audiences: Audiences) -> AccessDecision {
        guard let path = TopicPath(parsing: filter) else { return .denied(.foreignTopic) }
        let isAllowed =
            switch path.kind {
            case .down: path.levelCount >= 4 && path.names(bearer.address, in: filter)
            case .up: bearer.isOperator && path.levelCount >= 4 && path.names(bearer.address, in: filter)
            case .conversations, .users, .gateway, .groups, .other:
                bearer.isOperator || hears(bearer.address.user, path, of: filter, audiences: audiences)
            }
        return isAllowed ? .allowed : .denied(.foreignTopic)
    }

    /// A delivery is decided by its topic and the audience of this moment, whatever the subscription was.
    package static func receive(_ bearer: Bearer, topic: Span<UInt8>, audiences: Audiences) -> AccessDecision {
        guard let path = TopicPath(parsing: topic) else { return .denied(.foreignTopic) }
        let isAllowed =
            switch path.kind {
            case .conversations, .users, .gateway, .groups, .other:
                hears(bearer.address.user, path, of: topic, audiences: audiences) || bearer.isOperator
            case .down: path.levelCount >= 4 && path.names(bearer.address, in: topic)
            case .up: bearer.isOperator && path.names(bearer.address, in: topic)
            }
        return isAllowed ? .allowed : .denied(.foreignTopic)
    }

    /// Whether every user hears the topic, or every topic that the filter can match, whose ids these are.
    private static func hears(
        _ user: UserID, _ path: TopicPath, of topic: Span<UInt8>, audiences: Audiences
    ) -> Bool {
        switch path.kind {
        case .conversations:
            guard path.levelCount >= 3, let id = ConversationID(parsing: topic.extracting(path.first)) else {
                return false
            }
            return audiences.hears(user, id)
        case .users: return path.levelCount >= 3 && topic.extracting(path.first).equals(user.text)
        case .gateway: return path.levelCount == 2 && topic.extracting(path.first).equals("status")
        case .up, .down, .groups, .other: return false
        }
    }
}
