/// A row of the protocol's table of topics (§2), but for `up/` and `down/`, whose levels are a device's own.
struct TopicRow: Sendable {
    enum Audience: Sendable { case members, membersOfGroup, user, userAndFriends, everyone, operators }

    /// What stands in braces is a place for an id or a name.
    let levels: [String]
    let audience: Audience
    let isRetained: Bool

    private init(_ topic: String, _ audience: Audience, isRetained: Bool = false) {
        levels = topic.split(separator: "/").map(String.init)
        self.audience = audience
        self.isRetained = isRetained
    }

    /// Of groups that train together the broker is told nothing yet: their topics are nobody's but operators'.
    static let all: [TopicRow] = [
        TopicRow("conversations/{cid}/messages", .members),
        TopicRow("conversations/{cid}/receipts", .members),
        TopicRow("conversations/{cid}/typing", .members),
        TopicRow("conversations/{cid}/info", .members, isRetained: true),
        TopicRow("conversations/{cid}/challenges", .members),
        TopicRow("groups/{gid}/leaderboards/check-ins", .membersOfGroup, isRetained: true),
        TopicRow("groups/{gid}/leaderboards/streak", .membersOfGroup, isRetained: true),
        TopicRow("groups/{gid}/events", .membersOfGroup),
        TopicRow("users/{uid}/events", .user),
        TopicRow("users/{uid}/notifications", .user),
        TopicRow("users/{uid}/presence", .userAndFriends, isRetained: true),
        TopicRow("users/{uid}/activity", .userAndFriends),
        TopicRow("gateway/status", .everyone, isRetained: true),
        TopicRow("gateway/stats/{name}", .operators, isRetained: true),
    ]

    func matches(name: [String]) -> Bool {
        name.count == levels.count && zip(levels, name).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    /// As MQTT has it (5, section 4.7): `+` is one level, `#` this one and all below.
    func matches(filter: [String]) -> Bool {
        for (index, level) in filter.enumerated() {
            if level == "#" { return index <= levels.count }
            guard index < levels.count else { return false }
            guard level == "+" || levels[index].hasPrefix("{") || level == levels[index] else { return false }
        }
        return filter.count == levels.count
    }
}

/// A topic or filter, cut at its slashes.
struct Levels: Sendable {
    private let levels: [String]
    private let bytes: Int

    init(_ text: String) {
        bytes = text.utf8.count
        var (levels, level): ([String], [UInt8]) = ([], [])
        for byte in text.utf8 {
            if byte == UInt8(ascii: "/") {
                levels.append(String(decoding: level, as: UTF8.self))
                level = []
            } else {
                level.append(byte)
            }
        }
        self.levels = levels + [String(decoding: level, as: UTF8.self)]
    }

    /// What stands below `parley/v1/`; `nil` where that does not stand first.
    var belowVersion: [String]? { levels.count > 2 && levels[0] == "parley" && levels[1] == "v1" ? Array(levels[2...]) : nil }

    /// Room for every topic that there is, and for response topics.
    var fits: Bool { bytes <= 256 && levels.count <= 2 + 11 }
}
