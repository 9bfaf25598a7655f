import ParleyProtocol

/// The filters that can match a topic of protocol §2, and the bounds of reply topics, which clients choose.
///
/// A broker keeps a node for each level of each filter. So a granted filter has a word of a short table below an id, or
/// is bounded in bytes, levels and number.
enum TopicShape {
    /// In bytes: the longest default topic of a reply has 283.
    static let longestFilter = 288
    /// Levels below `down/{uid}/{did}/`.
    static let deepestReply = 8
    /// Levels below `parley/v1/` of an operator's filter. Only replies, which `#` matches, have more.
    static let deepestOperatorFilter = 8

    static let conversations = ConversationChannel.allCases.map(\.rawValue)
    static let users = UserChannel.allCases.map(\.rawValue)
    /// As one or two levels each.
    static let groups = GroupChannel.allCases.map { $0.rawValue.split(separator: "/").map(String.init) }
    /// How many filters match topics of one group.
    static let groupSpellings = 3 + 2 * 4
    /// Channels for friends.
    static let friends = [UserChannel.presence, .activity].map(\.rawValue)

    /// Whether the last level of a filter is one of these channels or a wildcard.
    static func matches(_ channels: [String], _ level: Span<UInt8>) -> Bool {
        level.equals("+") || level.equals("#") || names(channels, level)
    }

    /// Whether the levels after a group's id match a topic of a channel.
    static func matchesGroup(_ path: TopicPath, of filter: Span<UInt8>) -> Bool {
        let (second, third) = (filter.extracting(path.second), filter.extracting(path.third))
        switch path.levelCount {
        case 3 where second.equals("#"): return true
        case 3: return groups.contains { $0.count == 1 && isMatch(second, $0[0]) }
        case 4:
            return groups.contains {
                $0.count == 2 && isMatch(second, $0[0]) && (third.equals("#") || isMatch(third, $0[1]))
            }
        default: return false
        }
    }

    static func namesGroup(_ path: TopicPath, of topic: Span<UInt8>) -> Bool {
        let (second, third) = (topic.extracting(path.second), topic.extracting(path.third))
        for channel in groups where channel.count == path.levelCount - 2 && second.equals(channel[0]) {
            if channel.count == 1 || third.equals(channel[1]) { return true }
        }
        return false
    }

    private static func isMatch(_ level: Span<UInt8>, _ word: String) -> Bool {
        level.equals("+") || level.equals(word)
    }

    static func names(_ channels: [String], _ level: Span<UInt8>) -> Bool {
        for channel in channels where level.equals(channel) { return true }
        return false
    }
}

extension Audiences {
    /// Of an operator's device, beside those of its conversations and friends.
    private static let operatorFilters = 1024
    /// Of any other device: for its own topics, replies, and conversations that it has left.
    private static let ownFilters = 512

    /// How many filters a session may ever have had at once, which is what the broker counts: enough for each spelling
    /// of each filter that can match.
    func mostFilters(of bearer: Bearer) -> Int {
        let spellings = (
            conversations: TopicShape.conversations.count + 2, groups: TopicShape.groupSpellings,
            friends: TopicShape.friends.count
        )
        return (bearer.isOperator ? Audiences.operatorFilters : Audiences.ownFilters)
            + conversationCount(of: bearer.address.user) * spellings.conversations
            + groupCount(of: bearer.address.user) * spellings.groups
            + friendCount(of: bearer.address.user) * spellings.friends
    }
}
