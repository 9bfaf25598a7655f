import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("What a device may do")
struct AccessPolicyTests {
    static let cid = "7f310b0c-6a52-4c1e-9a51-0d2b1a2f3c4d"
    static let foreign = "7f310b0c-6a52-4c1e-9a51-0d2b1a2f3c4e"
    static let alice = Bearer(
        address: DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone")),
        role: .device)
    static let console = Bearer(
        address: DeviceAddress(user: UserID(validated: "operator"), device: DeviceID(validated: "console")),
        role: .operator)

    /// Alice is in one conversation and a friend of Carol's; the other conversation has Bob alone.
    static let audiences: Audiences = {
        var audiences = Audiences()
        let bob = UserID(validated: "bob")
        if let id = ConversationID(cid) { audiences.set([bob, alice.address.user], of: id) }
        if let id = ConversationID(foreign) { audiences.set([bob], of: id) }
        audiences.befriend(UserID(validated: "carol"), alice.address.user)
        return audiences
    }()

    static func publish(
        _ bearer: Bearer, _ topic: String, qos: UInt8 = 1, retain: Bool = false
    ) -> AccessDecision {
        let bytes = Array(topic.utf8)
        return AccessPolicy.publish(bearer, topic: bytes.span, qos: qos, retain: retain)
    }

    static func subscribe(_ bearer: Bearer, _ filter: String, held: Int = 0) -> AccessDecision {
        let bytes = Array(filter.utf8)
        return AccessPolicy.subscribe(bearer, filter: bytes.span, held: held, audiences: audiences)
    }

    static func receive(_ bearer: Bearer, _ topic: String) -> AccessDecision {
        let bytes = Array(topic.utf8)
        return AccessPolicy.receive(bearer, topic: bytes.span, payload: [UInt8]().span, audiences: audiences)
    }

    static func publish(_ topic: String, qos: UInt8 = 1, retain: Bool = false) -> AccessDecision {
        publish(alice, topic, qos: qos, retain: retain)
    }

    static func subscribe(_ filter: String) -> AccessDecision { subscribe(alice, filter) }
    static func receive(_ topic: String) -> AccessDecision { receive(alice, topic) }
}

// MARK: PUBLISH

extension AccessPolicyTests {
    @Test("a device publishes its own requests at QoS 0 and 1, unknown operations too")
    func ownRequests() {
        #expect(Self.publish("parley/v1/up/alice/phone/messages/send") == .allowed)
        #expect(Self.publish("parley/v1/up/alice/phone/typing/start", qos: 0) == .allowed)
        #expect(Self.publish("parley/v1/up/alice/phone/no_such/thing-9") == .allowed)
    }

    @Test("QoS 2 and retained requests are refused")
    func modes() {
        let topic = "parley/v1/up/alice/phone/messages/send"
        #expect(Self.publish(topic, qos: 2) == .denied(.qualityOfService))
        #expect(Self.publish(topic, qos: 255) == .denied(.qualityOfService))
        #expect(Self.publish(topic, retain: true) == .denied(.retained))
        #expect(Self.publish(topic, qos: 0, retain: true) == .denied(.retained))
    }

    @Test("only an operator asks for admin")
    func admin() {
        #expect(Self.publish("parley/v1/up/alice/phone/admin/add-user") == .denied(.operatorsOnly))
        #expect(Self.publish(Self.console, "parley/v1/up/operator/console/admin/add-user") == .allowed)
        #expect(Self.publish(Self.console, "parley/v1/up/alice/phone/admin/add-user") == .denied(.foreignTopic))
    }

    @Test(
        "any other topic is refused, to operators as well",
        arguments: [
            "", "/", "parley", "parley/v1", "parley/v1/", "parley/v1/up", "parley/v1/up/alice",
            "parley/v1/up/alice/phone", "parley/v1/up/alice/phone/", "parley/v1/up/alice/phone/messages",
            "parley/v1/up/alice/phone/messages/", "parley/v1/up/alice/phone//send",
            "parley/v1/up/alice/phone/messages/send/", "parley/v1/up/alice/phone/messages/send/x",
            "parley/v1/up/alice/phone/mess ages/send", "parley/v1/up/alice/phone/messages/s.end",
            "parley/v1/up/alice/phone/+/send", "parley/v1/up/alice/phone/messages/#",
            "parley/v1/up/bob/phone/messages/send", "parley/v1/up/alice/tablet/messages/send",
            "parley/v1/up/Alice/phone/messages/send", "parley/v1/up/alice2/phone/messages/send",
            "parley/v1/up/alic/phone/messages/send", "parley/v1/up//phone/messages/send",
            "parley/v1/down/alice/phone/messages/send/accepted", "parley/v1/conversations/\(cid)/messages",
            "parley/v1/users/alice/events", "parley/v1/gateway/status", "parley/v1/gateway/stats/x",
            "parley/v2/up/alice/phone/messages/send", "Parley/v1/up/alice/phone/messages/send",
            "/parley/v1/up/alice/phone/messages/send", "$CONTROL/parley/v1", "$CONTROL/dynamic-security/v1",
            "$SYS/broker/uptime", "$share/g/parley/v1/up/alice/phone/messages/send", "chat",
            "parley/v1/up/alice/phone/messages/" + String(repeating: "a", count: 65),
            "parley/v1/up/alice/phone/" + String(repeating: "/", count: 300),
        ])
    func otherTopics(topic: String) {
        #expect(Self.publish(topic) == .denied(.foreignTopic))
        #expect(Self.publish(Self.console, topic) == .denied(.foreignTopic))
    }
}

// MARK: SUBSCRIBE

extension AccessPolicyTests {
    @Test(
        "a device subscribes to what is its own, with wildcards after the ids",
        arguments: [
            "parley/v1/down/alice/phone/messages/send/accepted", "parley/v1/down/alice/phone/#",
            "parley/v1/down/alice/phone/+/+/rejected", "parley/v1/down/alice/phone/rr/1/2/3/4/5/6/7",
            "parley/v1/conversations/\(cid)/messages", "parley/v1/conversations/\(cid)/#",
            "parley/v1/conversations/\(cid)/+", "parley/v1/users/alice/events", "parley/v1/users/alice/#",
            "parley/v1/users/alice/presence", "parley/v1/users/carol/presence", "parley/v1/users/carol/activity",
            "parley/v1/gateway/status", "parley/v1/gateway/+", "parley/v1/users/alice/+",
            "parley/v1/users/alice/notifications",
            "parley/v1/conversations/\(cid)/receipts", "parley/v1/conversations/\(cid)/typing",
            "parley/v1/conversations/\(cid)/info", "parley/v1/conversations/\(cid)/challenges",
            "parley/v1/down/alice/phone/" + String(repeating: "x", count: 261),
        ])
    func ownFilters(filter: String) { #expect(Self.subscribe(filter) == .allowed) }

    @Test(
        "a device subscribes to nothing else",
        arguments: [
            "#", "+", "+/#", "+/v1/#", "parley/#", "parley/+/users/alice/events", "parley/v1", "parley/v1/",
            "parley/v1/#",
            "parley/v1/+", "parley/v1/+/#", "parley/v1/+/alice/events", "parley/v1/down/#", "parley/v1/down/+/phone/#",
            "parley/v1/down/alice/#", "parley/v1/down/alice/+/#", "parley/v1/down/alice/phone",
            "parley/v1/down/alice/tablet/#", "parley/v1/down/bob/phone/#", "parley/v1/up/alice/phone/#",
            "parley/v1/up/#", "parley/v1/conversations/#", "parley/v1/conversations/+/messages",
            "parley/v1/conversations/+/#", "parley/v1/conversations/\(cid)",
            "parley/v1/conversations/\(cid.uppercased())/#",
            "parley/v1/conversations/\(foreign)/messages", "parley/v1/conversations/\(foreign)/#",
            "parley/v1/conversations/00000000-0000-4000-8000-000000000000/messages",
            "parley/v1/conversations//messages", "parley/v1/users/#", "parley/v1/users/+/events",
            "parley/v1/users/bob/events", "parley/v1/users/alice", "parley/v1/users/alice2/events",
            "parley/v1/users/bob/presence", "parley/v1/users/bob/activity", "parley/v1/users/nobody/presence",
            "parley/v1/users/+/presence", "parley/v1/users/carol", "parley/v1/users/carol/events",
            "parley/v1/users/carol/notifications", "parley/v1/users/carol/+", "parley/v1/users/carol/#",
            "parley/v1/users/carol/presence/#", "parley/v1/users/carol/presence/", "parley/v1/users/carol//presence",
            "parley/v1/users/Carol/presence", "parley/v1/gateway/#",
            "parley/v1/gateway/stats/sessions",
            "parley/v1/gateway/status/x",
            "parley/v1/groups/\(cid)/events", "parley/v1/groups/#", "$SYS/#", "$CONTROL/#",
            "$CONTROL/parley/v1/response",
            "$share/g/parley/v1/conversations/\(cid)/messages", "$share/g/#", "", "/",
            "parley/v1/conversations/\(cid)/Messages", "parley/v1/conversations/\(cid)/anything",
            "parley/v1/conversations/\(cid)/", "parley/v1/conversations/\(cid)/messages/",
            "parley/v1/conversations/\(cid)/messages/#", "parley/v1/conversations/\(cid)/messages/x",
            "parley/v1/conversations/\(cid)/+/+", "parley/v1/conversations/\(cid)/+/#",
            "parley/v1/users/alice/anything", "parley/v1/users/alice/", "parley/v1/users/alice/events/x",
            "parley/v1/users/alice/+/#", "parley/v1/users/alice" + String(repeating: "/a", count: 190),
            "parley/v1/users/alice/" + String(repeating: "x", count: 60_000),
            "parley/v1/down/alice/phone/", "parley/v1/down/alice/phone/1/2/3/4/5/6/7/8/9",
            "parley/v1/down/alice/phone/" + String(repeating: "x", count: 262),
            "parley/v1/down/alice/phone/" + String(repeating: "x", count: 60_000),
        ])
    func otherFilters(filter: String) { #expect(Self.subscribe(filter) == .denied(.foreignTopic)) }

    @Test(
        "an operator subscribes to anything below the prefix",
        arguments: [
            "parley/v1/#", "parley/v1/+/#", "parley/v1/+/alice/phone/#", "parley/v1/conversations/#",
            "parley/v1/conversations/\(foreign)/messages", "parley/v1/users/+/events", "parley/v1/gateway/stats/+",
            "parley/v1/groups/#", "parley/v1/down/operator/console/#", "parley/v1/up/operator/console/#",
            "parley/v1/gateway/status", "parley/v1/conversations/\(cid)/anything/deeper",
        ])
    func operatorFilters(filter: String) { #expect(Self.subscribe(Self.console, filter) == .allowed) }

    @Test(
        "other devices' requests and replies, and what is not below the prefix, are refused to an operator",
        arguments: [
            "#", "+/v1/#", "parley/#", "parley/+/users/#", "parley/v1", "$SYS/#", "$CONTROL/#", "$share/g/parley/v1/#",
            "parley/v1/up/#", "parley/v1/up/+/+/#", "parley/v1/up/alice/phone/#", "parley/v1/down/#",
            "parley/v1/down/alice/phone/#", "parley/v1/down/operator/#", "parley/v1/down/operator/tablet/#",
            "parley/v1/down/+/console/#", "parley/v2/#", "parley/v1/users" + String(repeating: "/a", count: 8),
            "parley/v1/up/operator/console" + String(repeating: "/a", count: 6),
            "parley/v1/" + String(repeating: "x", count: 300),
        ])
    func operatorRefusals(filter: String) {
        #expect(Self.subscribe(Self.console, filter) == .denied(.foreignTopic))
    }
}

extension AccessPolicyTests {
    /// Alice's own, the topics of one conversation in each spelling, and a friend's two.
    @Test(
        "a client has no more filters than conversations and friends give it, whatever it names; an operator has more")
    func filters() {
        let most = 512 + 7 + 2
        for filter in ["parley/v1/down/alice/phone/x", "parley/v1/conversations/\(Self.cid)/#"] {
            #expect(Self.subscribe(Self.alice, filter, held: most - 1) == .allowed)
            #expect(Self.subscribe(Self.alice, filter, held: most) == .denied(.tooManyFilters))
        }
        #expect(Self.subscribe(Self.console, "parley/v1/#", held: 1023) == .allowed)
        #expect(Self.subscribe(Self.console, "parley/v1/#", held: 1024) == .denied(.tooManyFilters))
        // What is foreign is refused as such however many there are.
        #expect(Self.subscribe(Self.alice, "parley/v1/users/bob/events", held: 10_000) == .denied(.foreignTopic))
    }

    @Test("a user is counted in the conversations that they are in, through changes and ends")
    func memberships() throws {
        var audiences = Self.audiences
        let (alice, bob) = (Self.alice.address.user, UserID(validated: "bob"))
        let id = try #require(ConversationID(Self.cid))
        #expect([alice, bob].map { audiences.conversationCount(of: $0) } == [1, 2])
        audiences.set([bob], of: id)
        #expect([alice, bob].map { audiences.conversationCount(of: $0) } == [0, 2])
        for _ in 0..<3 { audiences.set([alice, bob], of: id) }
        #expect([alice, bob].map { audiences.conversationCount(of: $0) } == [1, 2])
        for _ in 0..<2 { audiences.end(id) }
        #expect([alice, bob].map { audiences.conversationCount(of: $0) } == [0, 1])
        #expect(audiences.friendCount(of: alice) == 1)
    }
}

// MARK: Deliveries

extension AccessPolicyTests {
    @Test(
        "of a friend's activity a device hears what it or a friend of its user has caused, and nothing of others",
        arguments: [
            ("alice", true), ("carol", true), ("bob", false), ("mallory", false),
        ])
    func activity(cause: UserID, isHeard: Bool) {
        func receives(_ owner: UserID, _ payload: String) -> Bool {
            let (topic, payload) = (Array("parley/v1/users/\(owner)/activity".utf8), Array(payload.utf8))
            return AccessPolicy.receive(
                Self.alice, topic: topic.span, payload: payload.span, audiences: Self.audiences
            ).isAllowed
        }
        let reaction = #"{"type":"activity.reaction","data":{"id":"x","user_id":"\#(cause)","emoji":"👏"}}"#
        #expect(receives("carol", reaction) == isHeard)
        // Of one's own everything, of a stranger's nothing.
        #expect(receives("alice", reaction) && !receives("bob", reaction))
        // What the item holds is nobody's deed.
        let item = #"{"type":"activity.new","data":{"id":"x","user_id":"carol","metadata":{"sender_id":"\#(cause)"}}}"#
        #expect(receives("carol", item))
    }

    @Test(
        "a device receives what is its own",
        arguments: [
            "parley/v1/conversations/\(cid)/messages", "parley/v1/conversations/\(cid)/typing",
            "parley/v1/down/alice/phone/messages/send/accepted", "parley/v1/down/alice/phone/rr/1/2/3/4/5/6/7/8/9",
            "parley/v1/users/alice/events", "parley/v1/users/alice/presence", "parley/v1/users/carol/presence",
            "parley/v1/users/carol/activity", "parley/v1/gateway/status",
        ])
    func ownDeliveries(topic: String) { #expect(Self.receive(topic) == .allowed) }

    @Test(
        "a device receives nothing else, whatever it is subscribed to",
        arguments: [
            "parley/v1/conversations/\(foreign)/messages", "parley/v1/conversations/x/messages",
            "parley/v1/down/alice/tablet/messages/send/accepted", "parley/v1/down/bob/phone/messages/send/accepted",
            "parley/v1/down/alice/phone", "parley/v1/up/alice/phone/messages/send", "parley/v1/users/bob/events",
            "parley/v1/users/bob/presence", "parley/v1/users/bob/activity", "parley/v1/users/carol/events",
            "parley/v1/users/carol/notifications", "parley/v1/users/carol/presence/x",
            "parley/v1/gateway/stats/sessions", "parley/v1/groups/\(cid)/events", "$CONTROL/parley/v1/response",
            "$SYS/broker/uptime", "chat", "", "parley/v1/conversations/\(cid)/anything",
            "parley/v1/conversations/\(cid)/messages/more", "parley/v1/conversations/\(cid)",
            "parley/v1/users/alice/anything", "parley/v1/users/alice/events/more", "parley/v1/users/alice",
        ])
    func otherDeliveries(topic: String) { #expect(Self.receive(topic) == .denied(.foreignTopic)) }

    @Test("an operator receives everything below the prefix but other devices' requests and replies")
    func operatorDeliveries() {
        for topic in [
            "parley/v1/conversations/\(Self.foreign)/messages", "parley/v1/users/bob/events", "parley/v1/new/thing",
            "parley/v1/gateway/stats/sessions", "parley/v1/groups/\(Self.cid)/events",
            "parley/v1/down/operator/console/x", "parley/v1/up/operator/console/admin/add-user",
        ] { #expect(Self.receive(Self.console, topic) == .allowed, "\(topic)") }
        for topic in [
            "parley/v1/up/alice/phone/messages/send", "parley/v1/down/alice/phone/messages/send/accepted",
            "parley/v1/up/operator/console", "parley/v1/up/operator/console/admin",
            "parley/v1/up/operator/console/admin/add-user/more",
            "parley/v1/up/operator/tablet/admin/add-user", "$CONTROL/parley/v1/response", "$SYS/broker/uptime", "chat",
        ] { #expect(Self.receive(Self.console, topic) == .denied(.foreignTopic), "\(topic)") }
    }

    @Test("a member who was removed, and one of a conversation that ended, receives nothing more")
    func removal() throws {
        var audiences = Self.audiences
        let id = try #require(ConversationID(Self.cid))
        let topic = Array("parley/v1/conversations/\(Self.cid)/messages".utf8)
        let decide = {
            AccessPolicy.receive(Self.alice, topic: topic.span, payload: [UInt8]().span, audiences: audiences)
        }
        #expect(decide() == .allowed)
        audiences.set([UserID(validated: "bob")], of: id)
        #expect(decide() == .denied(.foreignTopic))
        audiences.set([UserID(validated: "bob"), Self.alice.address.user], of: id)
        #expect(decide() == .allowed)
        audiences.end(id)
        #expect(decide() == .denied(.foreignTopic))
    }

    @Test("whoever has blocked the other subscribes as before, and hears only what they do themselves")
    func silence() throws {
        var audiences = Self.audiences
        let id = try #require(ConversationID(Self.cid))
        let base = "parley/v1/conversations/\(Self.cid)"
        let (alice, bob) = (Self.alice.address.user, UserID(validated: "bob"))
        let filters = ["\(base)/messages", "\(base)/#", "\(base)/+", "\(base)/info"].map { Array($0.utf8) }
        let subscribed = {
            filters.map { AccessPolicy.subscribe(Self.alice, filter: $0.span, held: 0, audiences: audiences) }
        }
        func heard(by user: UserID, of actor: UserID, seq: Int = 8) -> [ConversationChannel] {
            let bearer = Bearer(
                address: DeviceAddress(user: user, device: DeviceID(validated: "phone")), role: .device)
            return ConversationChannel.allCases.filter { channel in
                let topic = Array(Topic.conversation(id, channel).name.utf8)
                let event = channel.event(in: id, by: actor, seq: seq)
                return AccessPolicy.receive(bearer, topic: topic.span, payload: event.span, audiences: audiences)
                    .isAllowed
            }
        }
        let everything = ConversationChannel.allCases
        let before = subscribed()
        #expect(before == Array(repeating: .allowed, count: filters.count))
        audiences.set([bob, alice], silences: [Silence(of: alice)], of: id)
        #expect(subscribed() == before)
        #expect(heard(by: alice, of: alice) == everything)
        #expect(heard(by: alice, of: bob) == [.info])
        for actor in [alice, bob] { #expect(heard(by: bob, of: actor) == everything) }
        #expect(heard(by: UserID(validated: "carol"), of: alice) == [])
        audiences.set([bob, alice], silences: [Silence(of: alice), Silence(of: bob)], of: id)
        #expect(heard(by: bob, of: bob) == everything)
        #expect(heard(by: bob, of: alice) == [.info])
        // After the block: what was written under it and is published late.
        audiences.set([bob, alice], silences: [Silence(of: alice, through: 7)], of: id)
        #expect(heard(by: alice, of: bob, seq: 8) == everything)
        #expect(!heard(by: alice, of: bob, seq: 7).contains(.messages))
        #expect(heard(by: alice, of: bob, seq: 7).contains(.typing))
        #expect(heard(by: alice, of: alice, seq: 7) == everything)
    }

    @Test("an event that is not as the gateway writes it is nobody's, however it ends")
    func strangeEvents() throws {
        var audiences = Self.audiences
        let id = try #require(ConversationID(Self.cid))
        audiences.set([Self.alice.address.user], silences: [Silence(of: Self.alice.address.user)], of: id)
        let topic = Array("parley/v1/conversations/\(Self.cid)/messages".utf8)
        let own = ConversationChannel.messages.event(in: id, by: Self.alice.address.user, seq: 1)
        func isHeard(_ event: [UInt8]) -> Bool {
            AccessPolicy.receive(Self.alice, topic: topic.span, payload: event.span, audiences: audiences).isAllowed
        }
        #expect(isHeard(own))
        let end = try #require(String(decoding: own, as: UTF8.self).firstRange(of: #""sender_id":"alice""#))
        let needed = String(decoding: own, as: UTF8.self)[..<end.upperBound].utf8.count
        for length in 0..<needed { #expect(!isHeard(Array(own[..<length])), "\(length)") }
        let far = [UInt8](repeating: UInt8(ascii: " "), count: 600) + own
        #expect(!isHeard(far))
        for text in [#""sender_id":"bob","sender_id":"alice""#, #""user_id":""#, #""sender_id":""alice""#, ""] {
            #expect(!isHeard(Array(text.utf8)), "\(text)")
        }
    }

    @Test("friends hear each other, until they part; nobody is their own friend")
    func friends() {
        var audiences = Audiences()
        let (alice, bob, carol) = (
            UserID(validated: "alice"), UserID(validated: "bob"), UserID(validated: "carol")
        )
        audiences.befriend(alice, bob)
        audiences.befriend(bob, alice)
        audiences.befriend(bob, carol)
        audiences.befriend(alice, alice)
        #expect(audiences.areFriends(alice, bob) && audiences.areFriends(bob, alice))
        #expect(audiences.areFriends(carol, bob) && !audiences.areFriends(alice, carol))
        #expect(!audiences.areFriends(alice, alice))
        audiences.unfriend(bob, alice)
        audiences.unfriend(alice, carol)
        #expect(!audiences.areFriends(alice, bob) && !audiences.areFriends(bob, alice))
        #expect(audiences.areFriends(bob, carol))
    }
}
