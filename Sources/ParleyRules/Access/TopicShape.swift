import ParleyProtocol

/// Which filters can match a topic of protocol §2, level by level, and how long and deep those may be that name a place of
/// the client's own choice.
///
/// A broker keeps a node for each level of each filter. So what is granted is either a word of a short table below an id, or
/// bounded in bytes, levels and number.
enum TopicShape {
    /// In bytes, of any filter: the longest default topic of a reply has 283.
    static let longestFilter = 288
    /// Below one's own `down/{uid}/{did}/`: replies come there to topics that devices choose.
    static let deepestReply = 8
    /// Below `parley/v1/`, of an operator's filter. No topic has more levels but replies, which end in `#`.
    static let deepestOperatorFilter = 8

    static let conversations = ConversationChannel.allCases.map(\.rawValue)
    static let users = UserChannel.allCases.map(\.rawValue)
    /// What friends hear of each other.
    static let friends = [UserChannel.presence, .activity].map(\.rawValue)

    /// Whether the last level of a filter is one of these channels, or stands for any.
    static func matches(_ channels: [String], _ level: Span<UInt8>) -> Bool {
        level.equals("+") || level.equals("#") || names(channels, level)
    }

    static func names(_ channels: [String], _ level: Span<UInt8>) -> Bool {
        for channel in channels where level.equals(channel) { return true }
        return false
    }
}

extension Audiences {
    /// Filters that an operator's device has at once, besides those of its own conversations and friends.
    private static let operatorFilters = 1024
    /// Of any other device: its own topics, replies to topics of its choice, and what it had before it left conversations.
    private static let ownFilters = 512

    /// How many filters a session may ever have had at once, which is what this broker counts: enough for every one that can
    /// match, in each of its spellings, and bounded by its user's conversations and friends.
    func mostFilters(of bearer: Bearer) -> Int {
        let spellings = (conversations: TopicShape.conversations.count + 2, friends: TopicShape.friends.count)
        return (bearer.isOperator ? Audiences.operatorFilters : Audiences.ownFilters)
            + conversationCount(of: bearer.address.user) * spellings.conversations
            + friendCount(of: bearer.address.user) * spellings.friends
    }
}
