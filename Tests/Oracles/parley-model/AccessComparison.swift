import Oracles
import ParleyProtocol
import ParleyRules
import RepeatableRandom

/// The plugin's gate beside the oracle of rights: the same people, the same changes, the same questions.
package struct AccessComparison {
    /// A fault that is put in, and must be found.
    package enum Fault: String, Sendable, CaseIterable {
        /// The gate is not told of a change.
        case removalIgnored, friendshipIgnored, endOfFriendshipIgnored, silenceIgnored, revocationIgnored,
            endOfGroupIgnored,
            everyoneOperator
        /// The gate is asked another question.
        case qualityIgnored, retainIgnored, lastLevelIgnored, caseIgnored, wildcardTaken, causeIgnored, deeperAllowed
        case shareIgnored
    }

    /// A question that gate and oracle answer differently.
    package struct DifferenceError: Error, CustomStringConvertible {
        package let description: String
    }

    package struct Tally: Sendable, CustomStringConvertible {
        package var allowed = 0
        package var refused = 0
        package var unspoken = 0
        package var changes = 0

        package var description: String {
            "\((allowed + refused).grouped) answers agree: \(allowed.grouped) allowed, \(refused.grouped) refused; "
                + "\(changes.grouped) changes; of \(unspoken.grouped) questions the contract says nothing"
        }
    }

    private static let now: Int64 = 1_768_469_400
    private static let out = ConnectionKey(1)

    private let fault: Fault?
    private var walk: AccessWalk<SplitMix64>
    private var gate = AccessGate(operatorListeners: .any)
    private var tokens: [AccessWorld.Device: TokenID] = [:]
    private var keys: [AccessWorld.Device: ConnectionKey] = [:]
    private var nextKey: UInt = 2
    private var tally = Tally()

    package init(seed: UInt64, fault: Fault? = nil) {
        self.fault = fault
        walk = AccessWalk(SplitMix64(seed: seed))
    }

    /// - Throws: ``DifferenceError`` at the first answer that differs.
    package mutating func run(questions: Int) throws -> Tally {
        try begin()
        var asked = 0
        while asked < questions {
            for _ in 0..<8 {
                try ask(walk.question())
                asked += 1
            }
            let change = walk.change()
            tally.changes += 1
            tell(messages(for: change))
            if case .device(let device, let isThere) = change { connect(device, isThere: isThere) }
        }
        return tally
    }

    // MARK: The gate

    private mutating func begin() throws {
        let claims = GatewayConnection.out.claims(id: .random(), expiresAt: Self.now + 60)
        _ = signIn(GatewayConnection.out.clientID, GatewayConnection.username, claims, on: Self.out)
        var limits = BrokerLimits()
        limits.subscribeBurst = 1 << 40
        limits.publishBurst = 1 << 40
        limits.publishBurstBytes = 1 << 40
        limits.connectionsPerDevice = 1 << 20
        var changes: [AudienceChange] = [.begin(version: 1), .limits(limits)]
        for device in walk.world.devices.keys.sorted(by: { "\($0)" < "\($1)" }) {
            changes += messages(for: .device(device, isThere: true))
        }
        for id in walk.world.conversations.keys.sorted() { changes += messages(for: .members(conversation: id)) }
        for id in walk.world.groups.keys.sorted() { changes += messages(for: .group(id)) }
        for pair in walk.world.friends.sorted(by: { $0.joined() < $1.joined() }) {
            changes += messages(for: .friends(pair[0], pair[1], are: true))
        }
        tell(changes + [.ready(version: 1)])
        for device in walk.world.devices.keys { connect(device, isThere: true) }
    }

    private mutating func tell(_ changes: [AudienceChange]) {
        for message in AudienceCodec.messages(for: changes) {
            // What the plugin would end has ended.
            for ended in gate.handle(message, from: Self.out)?.ended ?? [] {
                for (device, key) in keys where "\(device.user):\(device.name)" == ended {
                    gate.disconnect(key)
                    keys[device] = nil
                }
            }
        }
    }

    private mutating func messages(for change: AccessWalk<SplitMix64>.Change) -> [AudienceChange] {
        switch change {
        case .members(let id):
            guard let conversation = walk.world.conversations[id],
                let cid = ConversationID(parsing: Array(id.utf8).span)
            else { return [] }
            var members = conversation.members
            if fault == .removalIgnored { members.formUnion(walk.users.prefix(2)) }
            let silent = fault == .silenceIgnored ? [] : conversation.silent
            return [
                .conversation(
                    cid, members: members.sorted().compactMap { UserID($0) },
                    silences: silent.sorted().compactMap { UserID($0).map { Silence(of: $0) } })
            ]
        case .group(let id):
            guard let gid = GroupID(id) else { return [] }
            guard let cid = walk.world.groups[id].flatMap({ ConversationID($0) }) else {
                return fault == .endOfGroupIgnored ? [] : [.groupEnded(gid)]
            }
            return [.group(gid, of: cid)]
        case .friends(let one, let other, let are):
            guard let one = UserID(one), let other = UserID(other) else { return [] }
            if fault == (are ? .friendshipIgnored : .endOfFriendshipIgnored) { return [] }
            return [are ? .friends(one, other) : .friendsEnded(one, other)]
        case .device(let device, let isThere):
            guard let address = Self.address(device) else { return [] }
            guard isThere else { return fault == .revocationIgnored ? [] : [.deviceEnded(address)] }
            let token = TokenID.random()
            tokens[device] = token
            return [
                .device(address, DeviceStatus(token: token, expiresAt: Self.now + 1000, role: role(of: device)))
            ]
        }
    }

    private mutating func connect(_ device: AccessWorld.Device, isThere: Bool) {
        guard isThere, let address = Self.address(device), let token = tokens[device] else { return }
        let claims = AccessToken.Claims(
            user: address.user, device: address.device, expiresAt: Self.now + 1000, id: token,
            role: role(of: device).tokenRole)
        let key = ConnectionKey(nextKey)
        nextKey += 1
        keys[device] = key
        _ = signIn("\(device.user):\(device.name)", device.user, claims, on: key)
    }

    private mutating func signIn(
        _ clientID: String, _ username: String, _ claims: AccessToken.Claims, on key: ConnectionKey
    ) -> SignInDecision {
        let token = CompactToken.assemble(
            signingInput: AccessToken.signingInput(for: claims), signature: [UInt8](repeating: 0, count: 64))
        let attempt = SignInAttempt(
            clientID: Array(clientID.utf8), username: Array(username.utf8), password: token, origin: .unixSocket,
            cleanStart: true)
        return gate.signIn(attempt, on: key, now: Self.now) { _ in true }
    }

    private func role(of device: AccessWorld.Device) -> DeviceRole {
        fault == .everyoneOperator ? .operator : Self.role(of: device.user)
    }

    /// The role of a user's devices, as the gateway calls it.
    package static func role(of user: String) -> DeviceRole {
        switch AccessWorld.role(of: user) {
        case .person: .device
        case .operator: .operator
        case .door: .door
        }
    }

    private static func address(_ device: AccessWorld.Device) -> DeviceAddress? {
        guard let user = UserID(device.user), let name = DeviceID(device.name) else { return nil }
        return DeviceAddress(user: user, device: name)
    }

    // MARK: Questions

    private mutating func ask(_ question: AccessQuestion) throws {
        guard let expected = AccessOracle(walk.world).verdict(question) else {
            tally.unspoken += 1
            return
        }
        let answer = decide(question).isAllowed
        guard answer == expected else {
            throw DifferenceError(description: "\(question): the contract says \(expected), the plugin \(answer)")
        }
        if answer { tally.allowed += 1 } else { tally.refused += 1 }
    }

    private mutating func decide(_ question: AccessQuestion) -> AccessDecision {
        let key = keys[question.who] ?? ConnectionKey(0)
        let topic = Array(asked(question.topic).utf8)
        switch question.verb {
        case .publish(let qos, let retain):
            return gate.publish(
                key, topic: topic.span, payloadLength: 2, qos: fault == .qualityIgnored ? min(qos, 1) : qos,
                retain: fault == .retainIgnored ? false : retain, now: Self.now)
        case .subscribe:
            return gate.subscribe(key, filter: topic.span, held: 0, now: Self.now)
        case .receive(let cause):
            let payload = fault == .causeIgnored ? [] : Array(#"{"type":"x","data":{"user_id":"\#(cause)"}}"#.utf8)
            let clientID = Array("\(question.who.user):\(question.who.name)".utf8)
            return gate.receive(
                key, clientID: clientID.span, topic: topic.span, payload: payload.span, qos: 0, now: Self.now)
        }
    }

    /// The topic as a faulty plugin would read it.
    private func asked(_ topic: String) -> String {
        var levels = AccessOracle.levels(topic)
        switch fault {
        case .lastLevelIgnored: if levels.count > 6 { levels.removeLast() }
        case .caseIgnored: return topic.lowercased()
        case .wildcardTaken:
            // As the first member's conversation, or a friend's name.
            if levels.count == 5, levels[3] == "+" { levels[3] = walk.world.conversations.keys.min() ?? "" }
        case .deeperAllowed: if levels.count > 5, levels[2] == "conversations" { levels = Array(levels.prefix(5)) }
        case .shareIgnored: if levels.first == "$share" { levels = Array(levels.dropFirst(2)) }
        default: break
        }
        return levels.joined(separator: "/")
    }
}
