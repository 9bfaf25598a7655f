import ParleyProtocol

/// The reason of a denial is for operators, and is not sent to devices.
package enum AccessDecision: Hashable, Sendable {
    case allowed
    case denied(AccessDenial)

    package var isAllowed: Bool { self == .allowed }
}

/// Why an access is denied. The reason is for the operator's log and for tests, and is not sent to the client.
package enum AccessDenial: String, Hashable, Sendable {
    /// No snapshot is in force.
    case notReady = "the gateway has not sent who hears what"
    /// The client is unknown, has ended, or was taken over.
    case unknownClient = "it is not signed in any more"
    /// The message was kept for a revoked device of the same name.
    case anotherDevice = "it was for an earlier device of this name"
    /// The topic or filter is not the client's, or does not exist.
    case foreignTopic = "it is not the device's own, or there is no such topic"
    /// A request at QoS 2.
    case qualityOfService = "QoS 2"
    /// A retained request.
    case retained = "retained"
    /// A request for `admin` by another than an operator.
    case operatorsOnly = "it is for operators"
    /// A request for `accounts` by another than a door, or another request by a door.
    case doorsOnly = "it is for doors, or not for them"
    /// The client has as many filters as can match its topics.
    case tooManyFilters = "it has too many filters"
    /// The device or its user is over a limit.
    case overLimit = "over a limit"
}

/// The rights of devices (protocol §2). The gateway, which may do everything, is not asked about here.
package enum AccessPolicy {
    /// A device publishes requests under its own `up/{uid}/{did}/`, at QoS 0 or 1, never retained.
    package static func publish(_ bearer: Bearer, topic: Span<UInt8>, qos: UInt8, retain: Bool) -> AccessDecision {
        guard let path = TopicPath(parsing: topic), path.kind == .up, path.levelCount == 5,
            path.names(bearer.address, in: topic),
            isLevelIdentifier(topic.extracting(path.third), maximumLength: Operation.longestName),
            isLevelIdentifier(topic.extracting(path.fourth), maximumLength: Operation.longestName)
        else { return .denied(.foreignTopic) }
        guard qos <= 1 else { return .denied(.qualityOfService) }
        guard !retain else { return .denied(.retained) }
        let area = topic.extracting(path.third)
        guard bearer.isOperator || !area.equals("admin") else { return .denied(.operatorsOnly) }
        guard bearer.role == .door else { return area.equals("accounts") ? .denied(.doorsOnly) : .allowed }
        // It keeps the bytes of blobs, and asks which are gone.
        return area.equals("accounts") || area.equals("blobs") ? .allowed : .denied(.doorsOnly)
    }

    /// A device's filter spells its ids out; wildcards are allowed only after them, where a topic has a level
    /// (`TopicShape`). A foreign topic, one that does not exist and one of a blocked conversation get the same answer.
    ///
    /// - Parameter held: how many filters the client's session has had at once.
    package static func subscribe(
        _ bearer: Bearer, filter: Span<UInt8>, held: Int, audiences: Audiences
    ) -> AccessDecision {
        guard filter.count <= TopicShape.longestFilter, let path = TopicPath(parsing: filter) else {
            return .denied(.foreignTopic)
        }
        guard canMatch(bearer, path, filter, audiences) else { return .denied(.foreignTopic) }
        return held < audiences.mostFilters(of: bearer) ? .allowed : .denied(.tooManyFilters)
    }

    private static func canMatch(
        _ bearer: Bearer, _ path: TopicPath, _ filter: Span<UInt8>, _ audiences: Audiences
    ) -> Bool {
        let isBounded = path.levelCount <= TopicShape.deepestOperatorFilter
        // A door hears its replies and nothing else.
        guard bearer.role != .door || path.kind == .down else { return false }
        switch path.kind {
        case .down: return isReplyFilter(path, filter) && path.names(bearer.address, in: filter)
        case .up:
            return bearer.isOperator && isBounded && path.levelCount >= 4 && path.names(bearer.address, in: filter)
        case .conversations:
            if bearer.isOperator { return isBounded }
            guard path.levelCount == 3, TopicShape.matches(TopicShape.conversations, filter.extracting(path.second))
            else { return false }
            return conversation(path, of: filter).map { audiences.isMember(bearer.address.user, of: $0) } ?? false
        case .users:
            return bearer.isOperator ? isBounded : hearsOf(bearer.address.user, path, of: filter, audiences: audiences)
        case .gateway:
            if bearer.isOperator { return isBounded }
            return path.levelCount == 2 && (isStatus(path, of: filter) || filter.extracting(path.first).equals("+"))
        case .groups:
            if bearer.isOperator { return isBounded }
            return TopicShape.matchesGroup(path, of: filter)
                && isMember(bearer.address.user, path, of: filter, audiences)
        case .other: return bearer.isOperator && isBounded
        }
    }

    /// A filter below `down/{uid}/{did}/`, no deeper than a reply.
    private static func isReplyFilter(_ path: TopicPath, _ filter: Span<UInt8>) -> Bool {
        path.levelCount >= 4 && path.levelCount <= 3 + TopicShape.deepestReply
            && !(path.levelCount == 4 && path.third.isEmpty)
    }

    /// A delivery is decided by its topic and the current audience, whatever the subscription; to a user who blocks the
    /// other of a direct conversation also by its author.
    package static func receive(
        _ bearer: Bearer, topic: Span<UInt8>, payload: Span<UInt8>, audiences: Audiences
    ) -> AccessDecision {
        guard let path = TopicPath(parsing: topic) else { return .denied(.foreignTopic) }
        guard bearer.role != .door || path.kind == .down else { return .denied(.foreignTopic) }
        let user = bearer.address.user
        let isAllowed =
            switch path.kind {
            case .conversations: hears(user, path, of: topic, payload, audiences) || bearer.isOperator
            case .users:
                hearsOf(user, path, of: topic, audiences: audiences)
                    && isShown(user, path, of: topic, payload, audiences)
                    || bearer.isOperator
            case .groups:
                TopicShape.namesGroup(path, of: topic) && isMember(user, path, of: topic, audiences)
                    || bearer.isOperator
            case .gateway, .other: isStatus(path, of: topic) || bearer.isOperator
            case .down: path.levelCount >= 4 && path.names(bearer.address, in: topic)
            case .up: bearer.isOperator && path.levelCount == 5 && path.names(bearer.address, in: topic)
            }
        return isAllowed ? .allowed : .denied(.foreignTopic)
    }

    /// `info`, which has no author, is for every member, also during a block.
    private static func hears(
        _ user: UserID, _ path: TopicPath, of topic: Span<UInt8>, _ payload: Span<UInt8>, _ audiences: Audiences
    ) -> Bool {
        let channel = topic.extracting(path.second)
        guard path.levelCount == 3, TopicShape.names(TopicShape.conversations, channel),
            let id = conversation(path, of: topic)
        else { return false }
        return channel.equals("info") ? audiences.isMember(user, of: id) : audiences.hears(user, id, payload)
    }

    /// The conversation whose topics these are; `nil` where no id is spelled out.
    private static func conversation(_ path: TopicPath, of topic: Span<UInt8>) -> ConversationID? {
        path.levelCount >= 3 ? ConversationID(parsing: topic.extracting(path.first)) : nil
    }

    /// Whether the user is in the group whose topics these are.
    private static func isMember(
        _ user: UserID, _ path: TopicPath, of topic: Span<UInt8>, _ audiences: Audiences
    ) -> Bool {
        GroupID(parsing: topic.extracting(path.first)).map { audiences.isMember(user, of: $0) } ?? false
    }

    /// Any own topic; of friends the topics for friends, without a wildcard.
    private static func hearsOf(
        _ user: UserID, _ path: TopicPath, of topic: Span<UInt8>, audiences: Audiences
    ) -> Bool {
        guard path.levelCount == 3 else { return false }
        let (owner, channel) = (topic.extracting(path.first), topic.extracting(path.second))
        if owner.equals(user.text) { return TopicShape.matches(TopicShape.users, channel) }
        guard TopicShape.names(TopicShape.friends, channel) else { return false }
        return UserID(parsing: owner).map { audiences.areFriends(user, $0) } ?? false
    }

    /// Of a friend's activity a user receives events by the friend, by themselves and by other friends of theirs, and
    /// not those by blocked or unknown users.
    private static func isShown(
        _ user: UserID, _ path: TopicPath, of topic: Span<UInt8>, _ payload: Span<UInt8>, _ audiences: Audiences
    ) -> Bool {
        let owner = topic.extracting(path.first)
        guard topic.extracting(path.second).equals(UserChannel.activity.rawValue), !owner.equals(user.text),
            let origin = EventOrigin.user(ofActivity: payload)
        else { return true }
        return owner.equals(origin.text) || origin == user || audiences.areFriends(user, origin)
    }

    private static func isStatus(_ path: TopicPath, of topic: Span<UInt8>) -> Bool {
        path.kind == .gateway && path.levelCount == 2 && topic.extracting(path.first).equals("status")
    }
}
