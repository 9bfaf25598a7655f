/// What a client asks the broker for.
package enum Question: Hashable, Sendable {
    case subscribe(ClientName, filter: String)
    case publish(ClientName, topic: String, qos: Int, retain: Bool)
    /// A delivery to it, or into its stored session while it is away.
    case receive(ClientName, topic: String)

    package var client: ClientName {
        switch self {
        case .subscribe(let client, _), .publish(let client, _, _, _), .receive(let client, _): client
        }
    }
}

extension Facts {
    package func allows(_ question: Question) -> Bool {
        let client = question.client
        guard isReady, let standing = devices[client.device], now < standing.endsAt else { return false }
        let isConnected = connected[client] != nil
        switch question {
        case .subscribe(_, let filter):
            return isConnected && mayHear(client.device, standing, Levels(filter), isName: false)
        case .publish(_, let topic, let qos, let retain):
            return isConnected && mayPublish(client.device, standing, Levels(topic), qos, retain)
        case .receive(_, let topic):
            // "with `x` […], clean start and no stored session"
            return (isConnected || client.further == nil) && mayHear(client.device, standing, Levels(topic), isName: true)
        }
    }

    /// "A device publishes only under its own `up/{uid}/{did}/`, at QoS 0 or 1, never retained"; "any
    /// `up/{uid}/{did}/{area}/{verb}` of one's own passes the broker", "any other number of levels may be refused", and is;
    /// so is an area or a verb that is no id.
    private func mayPublish(
        _ device: Device, _ standing: Standing, _ levels: Levels, _ qos: Int, _ retain: Bool
    ) -> Bool {
        guard let levels = levels.belowVersion, levels.count == 5, Array(levels[..<3]) == ["up", device.user, device.id],
            isID(levels[3]), isID(levels[4])
        else { return false }
        return qos <= 1 && !retain && (levels[3] != "admin" || standing.isOperator)
    }

    /// Whether the device may hear a topic (`isName`), or all that a filter stands for and the protocol has.
    private func mayHear(_ device: Device, _ standing: Standing, _ levels: Levels, isName: Bool) -> Bool {
        guard levels.fits || isName, let levels = levels.belowVersion else { return false }
        if levels.first == "up" || levels.first == "down" {
            guard levels.count >= 4, levels[1] == device.user, levels[2] == device.id else { return false }
            // Below one's own `down/` a response topic may be anything.
            return levels[0] == "down" || standing.isOperator && levels.count <= 5
        }
        // "Operators […] may subscribe to anything below `parley/v1/` but other devices' `up/` and `down/`."
        if standing.isOperator { return true }
        guard isName else { return mayHearAll(levels, device.user) }
        return TopicRow.all.contains { row in row.matches(name: levels) && isAudience(device.user, of: row, levels) }
    }

    /// "A filter with `+` or `#` where a `{cid}`, `{gid}` or foreign `{uid}` stands is refused"; "only filters that can
    /// match a topic of the table are granted, level by level". What matches a topic that is not for the device is
    /// refused too, and so is a wildcard anywhere but in the place of a channel.
    private func mayHearAll(_ levels: [String], _ user: String) -> Bool {
        guard levels.count == 3 || levels == ["gateway", "status"] else { return false }
        guard levels.dropLast().allSatisfy({ $0 != "+" && $0 != "#" }) else { return false }
        let rows = TopicRow.all.filter { $0.matches(filter: levels) }
        return !rows.isEmpty && rows.allSatisfy { isMember($0, levels, user) }
    }

    /// The column "who may receive", while nobody is silent: a subscription stays the same through a block.
    private func isMember(_ row: TopicRow, _ levels: [String], _ user: String) -> Bool {
        switch row.audience {
        case .everyone: true
        case .operators, .membersOfGroup: false
        case .members: isMember(user, of: levels[1])
        case .user: levels[1] == user
        case .userAndFriends: levels[1] == user || areFriends(user, levels[1])
        }
    }

    /// The same, and who is in a conversation in which one has blocked the other hears nothing more of it but what is
    /// retained there from before.
    private func isAudience(_ user: String, of row: TopicRow, _ levels: [String]) -> Bool {
        guard isMember(row, levels, user) else { return false }
        guard row.audience == .members, conversations[levels[1]]?.isSilent == true else { return true }
        return row.isRetained
    }
}
