extension Generator {
    package mutating func question(_ facts: Facts) -> Question {
        let client = client(facts)
        switch random.number(0...9) {
        case 0..<4: return .subscribe(client, filter: filter(client))
        case 4..<7: return .receive(client, topic: topic(client))
        default:
            return .publish(
                client, topic: random.one(in: 6) ? topic(client) : request(client.device), qos: random.pick([0, 1, 1, 1, 2]),
                retain: random.one(in: 8))
        }
    }

    // What stands in the places of the table

    private mutating func id(_ right: [String]) -> String {
        random.one(in: 8) ? random.pick(["", "nobody", "ALICE", "$", right[0].uppercased()]) : random.pick(right)
    }

    private static let channels = [
        "conversations": ["messages", "receipts", "typing", "info", "challenges"],
        "users": ["events", "notifications", "presence", "activity"],
        "groups": ["events", "leaderboards/check-ins", "leaderboards/streak"],
        "gateway": ["status", "stats/requests"],
    ]

    private mutating func channel(_ kind: String) -> String {
        random.one(in: 8)
            ? random.pick(["", "messages", "presence", "status", "secrets", "Messages", "events/deeper"])
            : random.pick(Self.channels[kind, default: ["x"]])
    }

    /// A topic that there is, or nearly.
    private mutating func topic(_ client: ClientName) -> String {
        let kind = random.pick(["conversations", "conversations", "users", "users", "groups", "gateway", "down", "up", "x"])
        switch kind {
        case "conversations", "groups": return prefix() + "\(kind)/\(id(Self.conversations))/\(channel(kind))"
        case "users": return prefix() + "users/\(id(Self.users))/\(channel(kind))"
        case "gateway": return prefix() + "gateway/\(channel(kind))"
        case "down": return prefix() + "down/\(owner(client.device))/\(reply())"
        case "up": return request(client.device)
        default: return random.pick(["$SYS/broker/uptime", "x", "parley/v1", "parley/v1/", "/parley/v1/gateway/status"])
        }
    }

    private mutating func prefix() -> String {
        random.one(in: 12) ? random.pick(["parley/v2/", "Parley/v1/", "parley/", "", "/", "parley//v1/"]) : "parley/v1/"
    }

    private mutating func owner(_ own: Device) -> String {
        let owner = random.one(in: 4) ? device() : own
        return "\(owner.user)/\(owner.id)"
    }

    private mutating func reply() -> String {
        random.pick(["messages/send/accepted", "messages/send/rejected", "x", "a/b/c/d", ""])
    }

    private mutating func request(_ own: Device) -> String {
        let operation = random.one(in: 4)
            ? random.pick(["", "messages", "messages/", "a/b/c", "m.s/send", "messages/" + String(repeating: "x", count: 65)])
            : random.pick(["messages/send", "typing/start", "nothing/known", "admin/list-users"])
        return prefix() + "up/\(owner(own))/\(operation)"
    }

    // Filters

    /// A topic with wildcards in some places, shared, or too deep.
    private mutating func filter(_ client: ClientName) -> String {
        var levels = topic(client).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if random.one(in: 2) { levels[levels.count - 1] = random.pick(["+", "#"]) }
        if random.one(in: 8) { levels[random.number(0...levels.count - 1)] = "+" }
        if random.one(in: 16) { levels = Array(levels[..<random.number(0...levels.count - 1)]) + ["#"] }
        if random.one(in: 24) { levels.append(contentsOf: Array(repeating: "a", count: random.number(1...190))) }
        if random.one(in: 48) { levels.append(String(repeating: "x", count: 300)) }
        if random.one(in: 24) { levels.insert(contentsOf: ["$share", random.pick(["g", ""])], at: 0) }
        let filter = levels.joined(separator: "/")
        if !isMalformed(levels) { return filter }
        return options.malformed ? filter : "parley/v1/gateway/status"
    }

    /// Wildcards stand for whole levels, `#` for the last, and nothing is subscribed to by an empty filter.
    private func isMalformed(_ levels: [String]) -> Bool {
        levels == [""] || levels == ["$share", "g"] || levels == ["$share", ""] || levels.dropLast().contains("#")
            || levels.starts(with: ["$share", ""]) || levels.starts(with: ["$share", "g", ""]) && levels.count == 3
    }
}
