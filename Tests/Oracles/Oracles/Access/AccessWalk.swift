/// Random states and questions: what the contract names, spelled rightly and in all the wrong ways that come to mind.
package struct AccessWalk<Generator: RandomNumberGenerator> {
    /// One thing that becomes otherwise.
    package enum Change: Sendable {
        case members(conversation: String)
        /// A group is made, or ended.
        case group(String)
        case friends(String, String, are: Bool)
        case device(AccessWorld.Device, isThere: Bool)
    }

    package private(set) var world = AccessWorld()
    package let users = ["alice", "bob", "carol", "dave", "erin", "frank", "operator", "web"]
    package let conversations: [String]
    /// Each of the conversation in the same place.
    package let groups: [String]
    package let allDevices: [AccessWorld.Device]
    package var generator: Generator

    /// Eight users with two devices each, one of whom is an operator and one a door, and eight conversations.
    package init(_ generator: Generator) {
        self.generator = generator
        var made: [String] = []
        for index in 0..<8 {
            let digit = String(index, radix: 16)
            made.append("7f3100\(digit)0-0000-4000-8000-00000000000\(digit)")
        }
        conversations = made
        groups = made.prefix(4).map { "aaaa" + $0.dropFirst(4) }
        allDevices = users.flatMap { user in
            ["phone", "laptop"].map { AccessWorld.Device(user: user, name: $0) }
        }
        for device in allDevices { world.devices[device] = AccessWorld.role(of: device.user) }
        for conversation in conversations {
            world.conversations[conversation] = AccessWorld.Conversation(members: [])
            setMembers(of: conversation)
        }
        for (group, conversation) in zip(groups, conversations) { world.groups[group] = conversation }
        for one in users { for other in users where one < other && chance(0.3) { world.friends.insert([one, other]) } }
    }

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &generator) < probability
    }

    private mutating func any<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    /// Half of them are of two people, of whom one may have blocked the other.
    private mutating func setMembers(of conversation: String) {
        let count = chance(0.5) ? 2 : Int.random(in: 0...6, using: &generator)
        let members = Set(users.shuffled(using: &generator).prefix(count))
        let silent = count == 2 && chance(0.5) ? Set(members.sorted().prefix(1)) : []
        world.conversations[conversation] = AccessWorld.Conversation(members: members, silent: silent)
    }

    /// Something becomes otherwise in the world.
    package mutating func change(devices: Bool = true) -> Change {
        switch Int.random(in: 0..<(devices ? 6 : 5), using: &generator) {
        case 0, 1:
            let conversation = any(conversations)
            setMembers(of: conversation)
            return .members(conversation: conversation)
        case 2, 3:
            let pair = users.shuffled(using: &generator).prefix(2).sorted()
            let are = !world.friends.contains(pair)
            if are { world.friends.insert(pair) } else { world.friends.remove(pair) }
            return .friends(pair[0], pair[1], are: are)
        case 4:
            let index = Int.random(in: 0..<groups.count, using: &generator)
            world.groups[groups[index]] = world.groups[groups[index]] == nil ? conversations[index] : nil
            return .group(groups[index])
        default:
            let device = any(allDevices)
            let isThere = world.devices[device] == nil
            world.devices[device] = isThere ? AccessWorld.role(of: device.user) : nil
            return .device(device, isThere: isThere)
        }
    }

    // MARK: Questions

    package mutating func question() -> AccessQuestion {
        let who = any(allDevices)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            let verb = AccessQuestion.Verb.publish(qos: any([0, 1, 1, 1, 2]), retain: chance(0.1))
            return AccessQuestion(who: who, verb: verb, topic: topic(for: who, isFilter: false, favoured: 0))
        case 1: return AccessQuestion(who: who, verb: .subscribe, topic: topic(for: who, isFilter: true, favoured: 2))
        default: return delivery(to: who)
        }
    }

    /// What the gateway might publish, and by whom it was caused.
    package mutating func delivery(to who: AccessWorld.Device? = nil) -> AccessQuestion {
        let who = who ?? any(allDevices)
        let cause = any([who.user, any(users)])
        return AccessQuestion(
            who: who, verb: .receive(cause: cause), topic: topic(for: who, isFilter: false, favoured: 2))
    }

    /// A topic of the table, more or less.
    ///
    /// - Parameter favoured: the kind that comes most often.
    private mutating func topic(for who: AccessWorld.Device, isFilter: Bool, favoured: Int) -> String {
        var levels = ["parley", "v1"]
        let user = chance(0.6) ? who.user : any(users + ["nobody", "Alice"])
        let device = chance(0.7) ? who.name : any(["phone", "laptop", "tablet"])
        switch chance(0.3) ? favoured : Int.random(in: 0..<6, using: &generator) {
        case 0:
            levels += [
                "up", user, device, any(["messages", "typing", "admin", "social", "accounts", "blobs"]),
                any(["send", "get", "start"]),
            ]
        case 1:
            levels += [
                "down", user, device, any(["messages", "x"]), any(["send", "get"]), any(["accepted", "rejected"]),
            ]
        case 2:
            let conversation = any(conversations + ["00000000-0000-4000-8000-000000000000", "7F3100A0-x"])
            levels += [
                "conversations", conversation, any(["messages", "receipts", "typing", "info", "challenges", "secret"]),
            ]
        case 3: levels += ["users", user, any(["events", "notifications", "presence", "activity", "secret"])]
        case 4:
            levels += any([
                ["gateway", "status"], ["gateway", "stats", "accepted"], ["gateway", "stats"], ["gateway"],
            ])
        default:
            levels += ["groups", any(groups + conversations.prefix(2))]
            levels += any([["events"], ["leaderboards", "streak"], ["leaderboards", "check-ins"], ["leaderboards"]])
        }
        if chance(isFilter ? 0.4 : 0.25) { levels = spoiled(levels, isFilter: isFilter) }
        if isFilter, chance(0.02) { levels = ["$share", "group"] + levels }
        return levels.joined(separator: "/")
    }

    private mutating func spoiled(_ levels: [String], isFilter: Bool) -> [String] {
        var levels = levels
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let index = Int.random(in: 0..<levels.count, using: &generator)
            switch Int.random(in: 0..<9, using: &generator) {
            case 0 where isFilter, 1 where isFilter: levels[index] = "+"
            case 2 where isFilter, 3 where isFilter: levels = levels[..<index] + ["#"]
            case 4: levels.append(any(["x", "", "messages", "events"]))
            case 5: if levels.count > 1 { levels.removeLast() }
            case 6:
                levels[index] = any(["", "x", "PARLEY", "v2", "$SYS", "é", "{uid}", String(repeating: "y", count: 65)])
            case 7: levels[index] = levels[index].uppercased()
            case 8: levels.insert(any(["x", ""]), at: index)
            default: levels.append(contentsOf: isFilter ? ["#"] : ["x"])
            }
        }
        return levels
    }
}
