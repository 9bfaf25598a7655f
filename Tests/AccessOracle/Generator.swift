/// Makes up what happens and what is asked: mostly what makes sense, and near misses of it.
package struct Generator: Sendable {
    package struct Options: Sendable {
        /// Whether time passes by events; a real broker has its own.
        package var timePasses = true
        /// Whether filters and topics may be such as MQTT forbids, at which a broker ends the connection.
        package var malformed = true
        /// Whence clients come.
        package var origins = Attempt.Origin.allCases

        package init() {}
    }

    var random: SplitMix64
    let options: Options
    private var tokens = 0
    /// What was good once.
    private var pastTokens: [ShownToken] = []

    package init(seed: UInt64, options: Options = Options()) {
        random = SplitMix64(seed: seed)
        self.options = options
    }

    static let users = ["alice", "bob", "carol", "operator"]
    static let devices = ["phone", "laptop"]
    static let conversations = [
        "7f31a0c2-0000-4000-8000-000000000001", "7f31a0c2-0000-8000-8000-000000000002",
        "7f31a0c2-0000-4000-8000-00000000000a",
    ]

    mutating func device() -> Device { Device(user: random.pick(Self.users), id: random.pick(Self.devices)) }

    private mutating func client() -> ClientName {
        ClientName(device(), further: random.one(in: 3) ? random.pick(["x", "cli", "sub", "4", "5"]) : nil)
    }

    /// A client that there is, as far as there is one.
    mutating func client(_ facts: Facts) -> ClientName {
        random.one(in: 6) ? client() : facts.connected.keys.sorted { "\($0)" < "\($1)" }.randomElement(using: &random)
            ?? client()
    }
}

// MARK: Events

extension Generator {
    /// Everybody has devices, and the gateway has told of them.
    package mutating func beginning(_ facts: Facts) -> [Event] {
        var events: [Event] = []
        for user in Self.users {
            for device in Self.devices { events.append(issued(Device(user: user, id: device), facts)) }
        }
        return events + [conversation(), conversation(), friendship(), .told]
    }

    package mutating func event(_ facts: Facts) -> Event {
        switch random.number(0...99) {
        case 0..<45: return .connected(attempt(facts))
        case 45..<55: return .disconnected(client(facts))
        case 55..<68: return conversation()
        case 68..<77: return friendship()
        case 77..<82: return issued(device(), facts)
        case 82..<86: return renewed(facts)
        case 86..<89: return .revoked(device())
        case 89..<96:
            guard options.timePasses else { return .connected(attempt(facts)) }
            return .passed(seconds: random.pick([1, 29, 30, 600, 3600, Facts.day - 1, Facts.day]))
        case 96..<97: return .lost
        default: return .told
        }
    }

    private mutating func conversation() -> Event {
        let id = random.pick(Self.conversations)
        if random.one(in: 8) { return .conversationEnded(id) }
        let members = Self.users.filter { _ in random.one(in: 2) }
        return .conversation(id, members: Set(members), isSilent: random.one(in: 4))
    }

    private mutating func friendship() -> Event {
        let (one, other) = (random.pick(Self.users), random.pick(Self.users))
        return random.one(in: 3) ? .parted(one, other) : .befriended(one, other)
    }

    private mutating func issued(_ device: Device, _ facts: Facts) -> Event {
        let token = newToken(device, facts)
        return .issued(device, token: token.number, endsAt: token.endsAt, isOperator: token.role == .operator)
    }

    private mutating func renewed(_ facts: Facts) -> Event {
        let token = newToken(device(), facts)
        return .renewed(token.device, token: token.number, endsAt: token.endsAt)
    }

    private mutating func newToken(_ device: Device, _ facts: Facts) -> ShownToken {
        tokens += 1
        let lifetimes = options.timePasses ? [30, 600, 3600, 3 * Facts.day] : [-5, 3600, 3600, 3600, 3600, 3600]
        let token = ShownToken(
            device, number: tokens, endsAt: facts.now + random.pick(lifetimes),
            role: device.user == "operator" ? .operator : .device)
        pastTokens.append(token)
        return token
    }
}

// MARK: CONNECT

extension Generator {
    private mutating func attempt(_ facts: Facts) -> Attempt {
        let client = client()
        var attempt = Attempt(
            clientID: "\(client)", username: client.device.user, token: token(of: client.device, facts),
            origin: random.pick(options.origins), isClean: client.further != nil || random.one(in: 2))
        guard random.one(in: 4) else { return attempt }
        switch random.number(0...8) {
        case 0: attempt.clientID = random.pick(["\(client):y:z", "alice", "", ":", "a+b:phone", "alice:phone:", "parley/out"])
        case 1: attempt.clientID = "\(self.client())"
        case 2: attempt.username = random.pick(Self.users + ["", "Alice", "parley/gateway"])
        case 3: attempt.token = token(of: device(), facts)
        case 4: if let past = pastTokens.randomElement(using: &random) { attempt.token = past }
        case 5: attempt.token.shape = random.pick(ShownToken.Shape.allCases)
        case 6: attempt.token.role = random.pick(ShownToken.Role.allCases)
        case 7: attempt.version = random.pick(Attempt.Version.allCases)
        default: attempt.isClean.toggle()
        }
        return attempt
    }

    private func token(of device: Device, _ facts: Facts) -> ShownToken {
        let standing = facts.devices[device]
        return ShownToken(
            device, number: standing?.token ?? 0, endsAt: standing?.endsAt ?? facts.now + 60,
            role: standing?.isOperator ?? false ? .operator : .device)
    }
}
