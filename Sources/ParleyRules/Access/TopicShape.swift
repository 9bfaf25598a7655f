import ParleyProtocol

/// Which filters can match a topic of protocol §2, level by level, and how long and deep those may be that name a place
/// of the client's own choice.
///
/// A broker keeps a node for each level of each filter. So what is granted is either a word of a short table below an
/// id, or bounded in bytes, levels and number.
enum TopicShape {
    /// In bytes, of any filter: the longest default topic of a reply has 283.
    static let longestFilter = 288
    /// Below one's own `down/{uid}/{did}/`: replies come there to topics that devices choose.
    static let deepestReply = 8
    /// Below `parley/v1/`, of an operator's filter. No topic has more levels but replies, which end in `#`.
    static let deepestOperatorFilter = 8

    static let conversations = ConversationChannel.allCases.map(\.rawValue)
    static let users = UserChannel.allCases.map(\.rawValue)
    /// Each as its levels: one, or two.
    static let groups = GroupChannel.allCases.map { $0.rawValue.split(separator: "/").map(String.init) }
    /// How many filters match a topic of one group: of each level its words, `+`, and `#` where it may stand.
    static let groupSpellings = 3 + 2 * 4
    /// What friends hear of each other.
    static let friends = [UserChannel.presence, .activity].map(\.rawValue)

    /// Whether the last level of a filter is one of these channels, or stands for any.
    static func matches(_ channels: [String], _ level: Span<UInt8>) -> Bool {
        level.equals("+") || level.equals("#") || names(channels, level)
    }

    /// Whether the levels of a filter behind a group's id match the topic of one of its channels.
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

    /// Whether these levels name a channel of a group.
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
    /// Filters that an operator's device has at once, besides those of its own conversations and friends.
    private static let operatorFilters = 1024
    /// Of any other device: its own topics, replies to topics of its choice, and what it had before it left
    /// conversations.
    private static let ownFilters = 512

    /// How many filters a session may ever have had at once, which is what this broker counts: enough for every one
    /// that can match, in each of its spellings, and bounded by its user's conversations and friends.
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
