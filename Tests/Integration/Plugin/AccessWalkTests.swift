import Oracles
import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// Random questions of rights, asked of a real broker, and answered by the contract's words.
///
/// `PARLEY_QUESTIONS=20000 swift test --filter AccessWalkTests` asks so many.
@Suite("Rights, as a real broker grants them", .ownThreads, .seeded)
struct AccessWalkTests {
    /// A device's connection, with the filters that it has had since everybody could hear everything.
    private struct Listener {
        let client: WireClient
        var filters: [[String]] = []

        func listens(to topic: String) -> Bool {
            let levels = AccessOracle.levels(topic)
            return filters.contains { filter in
                for (index, level) in filter.enumerated() {
                    if level == "#" { return true }
                    guard index < levels.count, level == levels[index] else { return false }
                }
                return filter.count == levels.count
            }
        }
    }

    private static let count =
        ProcessInfo.processInfo.environment["PARLEY_QUESTIONS"].flatMap { Int($0) } ?? 1_000

    @Test("what is granted, taken and delivered is what the contract says")
    func walk() throws {
        var walk = AccessWalk(Seeded())
        let broker = try PluginBroker()
        let out = try broker.gateway()
        let devices = walk.allDevices.map { TestDevice($0.user, $0.name, role: DeviceRole($0)) }
        // At first everybody may hear everything, so that each has a subscription to whatever becomes theirs or not.
        var limits = BrokerLimits()
        limits.subscribeBurst = 1 << 40
        limits.subscribesPerSecond = 1 << 20
        limits.publishBurst = 1 << 40
        limits.publishBurstBytes = 1 << 40
        let everyone = walk.users.map { UserID(validated: $0) }
        let conversations = try walk.conversations.map { try #require(ConversationID($0)) }
        let pairs = everyone.flatMap { one in everyone.map { (one, $0) } }.filter { $0.0.text < $0.1.text }
        let all: [AudienceChange] =
            [.limits(limits)] + devices.map { $0.change() } + conversations.map { .conversation($0, members: everyone) }
            + (try zip(walk.groups, conversations).map { .group(try #require(GroupID($0)), of: $1) })
            + pairs.map { .friends($0.0, $0.1) }
        #expect(try out.snapshot(all) == .ready(version: 1))
        var listeners: [AccessWorld.Device: Listener] = [:]
        for (name, device) in zip(walk.allDevices, devices) {
            listeners[name] = try listen(try device.signIn(to: broker), as: name, walk)
        }
        for conversation in walk.conversations { try out.tell(changes(of: .members(conversation: conversation), walk)) }
        for pair in pairs where !walk.world.areFriends(pair.0.text, pair.1.text) {
            try out.tell([.friendsEnded(pair.0, pair.1)])
        }

        var deliveries: [(topic: String, cause: String)] = []
        for number in 0..<Self.count {
            let question = walk.question()
            if !AccessOracle.isMalformed(question.topic) {
                switch question.verb {
                case .receive(let cause):
                    deliveries.append((question.topic, cause))
                    try out.publish(question.topic, #"{"number":\#(deliveries.count),"data":{"user_id":"\#(cause)"}}"#)
                default: try ask(question, try #require(listeners[question.who]), walk.world)
                }
            }
            guard number % 20 == 19 || number == Self.count - 1 else { continue }
            try check(deliveries, listeners, walk.world)
            deliveries.removeAll()
            try out.tell(changes(of: walk.change(devices: false), walk))
        }
        #expect(broker.isRunning)
    }

    private func listen(
        _ client: WireClient, as who: AccessWorld.Device, _ walk: AccessWalk<Seeded>
    ) throws -> Listener {
        var filters = ["users/\(who.user)/#", "down/\(who.user)/\(who.name)/#", "gateway/status"]
        filters += walk.conversations.map { "conversations/\($0)/#" }
        filters += walk.groups.map { "groups/\($0)/#" }
        filters += walk.users.filter { $0 != who.user }.flatMap { ["users/\($0)/presence", "users/\($0)/activity"] }
        if who.user == "operator" {
            filters += ["up/\(who.user)/\(who.name)/#", "users/#", "conversations/#", "groups/#", "gateway/#"]
        }
        var listener = Listener(client: client)
        let isDoor = AccessWorld.role(of: who.user) == .door
        for filter in filters {
            // "It hears its replies and nothing else."
            let isOpen = !isDoor || filter.hasPrefix("down/")
            let topic = "parley/v1/\(filter)"
            #expect(try (client.subscribe(topic) < 0x80) == isOpen, "\(who) \(topic)")
            if isOpen { listener.filters.append(AccessOracle.levels(topic)) }
        }
        return listener
    }

    private func changes(of change: AccessWalk<Seeded>.Change, _ walk: AccessWalk<Seeded>) throws -> [AudienceChange] {
        switch change {
        case .members(let id):
            let conversation = try #require(walk.world.conversations[id])
            return [
                .conversation(
                    try #require(ConversationID(id)), members: conversation.members.map { UserID(validated: $0) },
                    silences: conversation.silent.map { Silence(of: UserID(validated: $0)) })
            ]
        case .group(let id):
            let group = try #require(GroupID(id))
            guard let conversation = walk.world.groups[id].flatMap({ ConversationID($0) }) else {
                return [.groupEnded(group)]
            }
            return [.group(group, of: conversation)]
        case .friends(let one, let other, let are):
            let pair = (UserID(validated: one), UserID(validated: other))
            return [are ? .friends(pair.0, pair.1) : .friendsEnded(pair.0, pair.1)]
        case .device: return []
        }
    }

    /// A SUBSCRIBE or a PUBLISH, by the code of its answer.
    private func ask(_ question: AccessQuestion, _ listener: Listener, _ world: AccessWorld) throws {
        guard let expected = AccessOracle(world).verdict(question) else { return }
        switch question.verb {
        case .publish(let qos, let retain):
            // At QoS 0 nothing is answered.
            let code = try listener.client.publish(question.topic, "{}", qos: max(1, qos), retain: retain)
            #expect(((code ?? 0xFF) < 0x80) == expected, "\(question): \(code ?? 0xFF)")
        case .subscribe:
            guard !listener.filters.contains(AccessOracle.levels(question.topic)) else { return }
            let code = try listener.client.subscribe(question.topic)
            #expect((code < 0x80) == expected, "\(question): \(code)")
            // Whoever has no such subscription may give it up as well: that shows nothing, and its number alone is
            // bounded.
            let answer = try listener.client.unsubscribe(question.topic)
            #expect(answer < 0x80, "\(question): \(answer)")
        case .receive: break
        }
    }

    /// Each device has got what it may hear and listens to, and nothing else.
    private func check(
        _ deliveries: [(topic: String, cause: String)], _ listeners: [AccessWorld.Device: Listener],
        _ world: AccessWorld
    ) throws {
        for (who, listener) in listeners {
            let got = Set(try listener.client.drain().map { String(decoding: $0.payload, as: UTF8.self) })
            for (index, delivery) in deliveries.enumerated() {
                let question = AccessQuestion(who: who, verb: .receive(cause: delivery.cause), topic: delivery.topic)
                guard let expected = AccessOracle(world).verdict(question) else { continue }
                let payload = #"{"number":\#(index + 1),"data":{"user_id":"\#(delivery.cause)"}}"#
                #expect(got.contains(payload) == (expected && listener.listens(to: delivery.topic)), "\(question)")
            }
        }
    }
}

extension DeviceRole {
    fileprivate init(_ device: AccessWorld.Device) {
        switch AccessWorld.role(of: device.user) {
        case .person: self = .device
        case .operator: self = .operator
        case .door: self = .door
        }
    }
}
