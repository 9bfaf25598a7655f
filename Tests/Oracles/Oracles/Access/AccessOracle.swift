/// What the contract says of a question, in its own words (protocol, section 2): slow, over strings, and by the table
/// alone.
///
/// It shares nothing with the plugin. Where the words leave a matter open it says nothing.
package struct AccessOracle {
    /// Who may receive a topic.
    private enum Audience {
        case gateway, device, members, groupMembers, user, userAndFriends, everyone, operators
    }

    /// The table of topics. A level in braces stands for an id or a name.
    private static let words: [(topic: String, audience: Audience)] = [
        ("up/{uid}/{did}/{area}/{verb}", .gateway),
        ("down/{uid}/{did}/{area}/{verb}/accepted", .device),
        ("down/{uid}/{did}/{area}/{verb}/rejected", .device),
        ("conversations/{cid}/messages", .members),
        ("conversations/{cid}/receipts", .members),
        ("conversations/{cid}/typing", .members),
        ("conversations/{cid}/info", .members),
        ("conversations/{cid}/challenges", .members),
        ("groups/{gid}/leaderboards/check-ins", .groupMembers),
        ("groups/{gid}/leaderboards/streak", .groupMembers),
        ("groups/{gid}/events", .groupMembers),
        ("users/{uid}/events", .user),
        ("users/{uid}/notifications", .user),
        ("users/{uid}/presence", .userAndFriends),
        ("users/{uid}/activity", .userAndFriends),
        ("gateway/status", .everyone),
        ("gateway/stats/{name}", .operators),
    ]
    private static let table = words.map { (topic: levels($0.topic), audience: $0.audience) }

    private let world: AccessWorld

    package init(_ world: AccessWorld) { self.world = world }

    /// Whether it is allowed; `nil` where the contract does not say.
    package func verdict(_ question: AccessQuestion) -> Bool? {
        guard let role = world.devices[question.who] else { return false }
        let all = Self.levels(question.topic)
        guard all.count > 2, all[0] == "parley", all[1] == "v1" else { return false }
        let path = Array(all.dropFirst(2))
        switch question.verb {
        case .publish(let qos, let retain): return publishes(question.who, role, path, qos: qos, retain: retain)
        case .subscribe: return subscribes(question.who, role, path)
        case .receive(let cause): return receives(question.who, role, path, cause: cause)
        }
    }

    // MARK: Publishing

    /// "A device publishes only under its own `up/{uid}/{did}/`, at QoS 0 or 1, never retained"; "any
    /// `up/{uid}/{did}/{area}/{verb}` of one's own passes"; `admin` is for operators alone, `accounts` for doors.
    private func publishes(
        _ who: AccessWorld.Device, _ role: AccessWorld.Role, _ path: [String], qos: UInt8, retain: Bool
    ) -> Bool? {
        guard path.starts(with: ["up", who.user, who.name]), qos <= 1, !retain else { return false }
        // "Any other number of levels may be refused."
        guard path.count == 5 else { return nil }
        guard Self.isName(path[3]), Self.isName(path[4]) else { return nil }
        // "A door publishes requests of the area accounts, and nobody else does; and of the area blobs."
        guard role != .door else { return path[3] == "accounts" || path[3] == "blobs" }
        return path[3] != "accounts" && (path[3] != "admin" || role == .operator)
    }

    // MARK: Receiving

    private func receives(
        _ who: AccessWorld.Device, _ role: AccessWorld.Role, _ path: [String], cause: String
    ) -> Bool? {
        let isOperator = role == .operator
        // "It hears its replies and nothing else."
        if role == .door, path[0] != "down" { return false }
        if path[0] == "up" || path[0] == "down" {
            guard path.count >= 3, path[1] == who.user, path[2] == who.name else { return false }
            if path[0] == "up" { return isOperator ? (path.count == 5 ? true : nil) : false }
            // A response topic may be any below one's own.
            return path.count > 3 ? true : nil
        }
        // "Operators may subscribe to anything below parley/v1/ but other devices' up/ and down/."
        if isOperator { return path[0].isEmpty ? nil : true }
        guard let (topic, audience) = Self.table.first(where: { Self.isInstance(path, of: $0.topic) }) else {
            return false
        }
        switch audience {
        case .gateway, .operators: return false
        case .device: return true
        case .everyone: return true
        case .groupMembers:
            return world.groups[path[1]].flatMap { world.conversations[$0] }?.members.contains(who.user) ?? false
        case .user: return path[1] == who.user
        case .userAndFriends:
            guard path[1] != who.user else { return true }
            guard world.areFriends(path[1], who.user) else { return false }
            // "One sees one's own reactions and those of one's own friends", to what a friend has achieved.
            return topic.last != "activity" || [who.user, path[1]].contains(cause) || world.areFriends(cause, who.user)
        case .members:
            guard let conversation = world.conversations[path[1]], conversation.members.contains(who.user) else {
                return false
            }
            guard conversation.silent.contains(who.user), topic.last != "info" else { return true }
            // "One's own acts in a silent conversation are echoed to oneself alone."
            return cause == who.user
        }
    }

    // MARK: Subscribing

    /// "Only filters that can match a topic of the table are granted, level by level", and none with a wildcard where
    /// an id of a conversation, a group or another user stands.
    private func subscribes(_ who: AccessWorld.Device, _ role: AccessWorld.Role, _ filter: [String]) -> Bool? {
        let isOperator = role == .operator
        let isLong = filter.count > 8 || filter.joined(separator: "/").utf8.count > 240
        guard let kind = filter.first else { return false }
        // A wildcard in the middle of a level is none that MQTT knows; the broker refuses it before anybody is asked.
        if Self.isMalformed(filter) { return nil }
        if kind == "up" || kind == "down" {
            let own = ["\(kind)", who.user, who.name]
            guard filter.count > 3 || (filter.count == 3 && filter[2] == "#"), filter.starts(with: own) else {
                return filter.contains("#") || filter.contains("+") ? (isOperator ? nil : false) : false
            }
            if kind == "up" { return isOperator ? (isLong || filter.count > 5 ? nil : true) : false }
            return isLong || filter.count == 4 && filter[3].isEmpty ? nil : true
        }
        if role == .door { return false }
        if isOperator { return isLong || ["", "+", "#"].contains(kind) ? nil : true }
        var isGranted = false
        var isRefused = false
        for entry in Self.table where Self.canMatch(filter, entry.topic) {
            guard Self.spellsOutIDs(filter, of: entry.topic) else { return false }
            let topic = Self.instance(of: entry.topic, by: filter)
            // Whoever has blocked the other may subscribe all the same, and hears what they do themselves.
            if receives(who, .person, topic, cause: who.user) == true { isGranted = true } else { isRefused = true }
        }
        // Of a filter that can match both what one may hear and what one may not nothing is said, nor of a wildcard
        // where all topics have a word.
        return isGranted && (isRefused || kind == "+") ? nil : isGranted
    }

    // MARK: Words

    package static func levels(_ topic: String) -> [String] {
        topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    private static func isPlace(_ level: String) -> Bool { level.hasPrefix("{") }

    private static func isName(_ level: String) -> Bool {
        (1...64).contains(level.utf8.count)
            && level.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x5F || byte == 0x2D
            }
    }

    /// What no client library sends: the broker ends the connection before anybody is asked.
    package static func isMalformed(_ topic: String) -> Bool { topic.isEmpty || isMalformed(levels(topic)) }

    private static func isMalformed(_ filter: [String]) -> Bool {
        for (index, level) in filter.enumerated() {
            if level.contains("#"), level != "#" || index != filter.count - 1 { return true }
            if level.contains("+"), level != "+" { return true }
        }
        return false
    }

    private static func isInstance(_ path: [String], of topic: [String]) -> Bool {
        path.count == topic.count && zip(path, topic).allSatisfy { $1 == $0 || (isPlace($1) && isName($0)) }
    }

    private static func canMatch(_ filter: [String], _ topic: [String]) -> Bool {
        for (index, level) in filter.enumerated() {
            // MQTT lets it stand for nothing at all, too; but "anything deeper is refused".
            if level == "#" { return topic.count > index }
            guard index < topic.count else { return false }
            guard level == "+" || level == topic[index] || (isPlace(topic[index]) && isName(level)) else {
                return false
            }
        }
        return filter.count == topic.count
    }

    /// A wildcard stands only where the table has a word.
    private static func spellsOutIDs(_ filter: [String], of topic: [String]) -> Bool {
        for (index, place) in topic.enumerated() where place != "{area}" && place != "{verb}" && isPlace(place) {
            guard index < filter.count, filter[index] != "#", filter[index] != "+" else { return false }
            if filter[..<index].contains("#") { return false }
        }
        return true
    }

    private static func instance(of topic: [String], by filter: [String]) -> [String] {
        topic.enumerated().map { index, place in
            guard isPlace(place) else { return place }
            return index < filter.count && isName(filter[index]) ? filter[index] : "x"
        }
    }
}
