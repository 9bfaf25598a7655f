import ParleyProtocol
import TestSupport
import Testing

@Suite("Topics", .seeded)
struct TopicTests {
    static let uuid = "7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a"

    /// Every form of protocol §2, as text and as what it must be read as.
    static func table() throws -> [(String, Topic)] {
        let alice = UserID("alice")
        let phone = DeviceAddress(user: alice, device: DeviceID("phone"))
        let send = try #require(Operation(area: "messages", verb: "send"))
        let conversation = try #require(ConversationID(uuid))
        let group = try #require(GroupID(uuid))
        return [
            ("up/alice/phone/messages/send", .up(phone, send)),
            ("down/alice/phone/messages/send/accepted", .down(phone, send, .accepted)),
            ("down/alice/phone/messages/send/rejected", .down(phone, send, .rejected)),
            ("conversations/\(uuid)/messages", .conversation(conversation, .messages)),
            ("conversations/\(uuid)/receipts", .conversation(conversation, .receipts)),
            ("conversations/\(uuid)/typing", .conversation(conversation, .typing)),
            ("conversations/\(uuid)/info", .conversation(conversation, .info)),
            ("conversations/\(uuid)/challenges", .conversation(conversation, .challenges)),
            ("groups/\(uuid)/leaderboards/check-ins", .group(group, .checkIns)),
            ("groups/\(uuid)/leaderboards/streak", .group(group, .streak)),
            ("groups/\(uuid)/events", .group(group, .events)),
            ("users/alice/events", .user(alice, .events)),
            ("users/alice/notifications", .user(alice, .notifications)),
            ("users/alice/presence", .user(alice, .presence)),
            ("users/alice/activity", .user(alice, .activity)),
            ("gateway/status", .gatewayStatus),
            ("gateway/stats/messages_committed", .gatewayStats(name: "messages_committed")),
        ]
    }

    @Test("every topic of protocol §2 is read as what it is and printed as it was")
    func everyForm() throws {
        for (text, topic) in try Self.table() {
            #expect(Topic("parley/v1/\(text)") == topic)
            #expect(topic.name == "parley/v1/\(text)")
        }
    }

    @Test("a topic with a level more, a level less, an empty or a wild one is none")
    func changedLevels() throws {
        for (text, _) in try Self.table() {
            let levels = "parley/v1/\(text)".split(separator: "/").map(String.init)
            #expect(Topic(levels.joined(separator: "/")) != nil)
            #expect(Topic("/" + levels.joined(separator: "/")) == nil)
            #expect(Topic(levels.joined(separator: "/") + "/") == nil)
            #expect(Topic(levels.joined(separator: "/") + "/more") == nil)
            #expect(Topic(levels.dropLast().joined(separator: "/")) == nil)
            for index in levels.indices {
                for hostile in ["", "+", "#", "a b", "ı", "\u{0}", "a\u{301}", String(repeating: "a", count: 65)] {
                    var changed = levels
                    changed[index] = hostile
                    #expect(Topic(changed.joined(separator: "/")) == nil, "\(changed)")
                }
                var upper = levels
                upper[index] = levels[index].uppercased()
                if let topic = Topic(upper.joined(separator: "/")) {
                    #expect(topic.name.utf8.elementsEqual(upper.joined(separator: "/").utf8))
                }
            }
        }
    }

    @Test(
        "what is not a topic of the protocol is refused",
        arguments: [
            "", "/", "parley", "parley/", "parley/v1", "parley/v1/", "parley/v2/gateway/status",
            "Parley/v1/gateway/status",
            "$SYS/broker/uptime", "$CONTROL/parley/v1", "$share/g/parley/v1/gateway/status", "#", "+/+/+",
            "parley/v1/#",
            "parley/v1/gateway", "parley/v1/gateway/", "parley/v1/gateway/Status", "parley/v1/gateway/stats",
            "parley/v1/gateway/stats/", "parley/v1/gateway/stats/a/b", "parley/v1/gateway/status/x",
            "parley/v1/up/alice/phone/messages", "parley/v1/up/alice/phone/messages/send/x",
            "parley/v1/up/alice//messages/send", "parley/v1/down/alice/phone/messages/send",
            "parley/v1/down/alice/phone/messages/send/Accepted", "parley/v1/down/alice/phone/messages/send/x",
            "parley/v1/conversations/7F31A1DE-0C7A-4B58-9D2C-1F2E3D4C5B6A/messages",
            "parley/v1/conversations/alice/messages", "parley/v1/conversations/7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a/x",
            "parley/v1/groups/7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a/leaderboards",
            "parley/v1/groups/7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a/leaderboards/check-ins/x",
            "parley/v1/groups/7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a/leaderboards//streak",
            "parley/v1/users/alice/inbox", "parley/v1/nobody/alice/events", "parley/v1/a/b/c/d/e/f/g/h/i/j/k/l/m",
            String(repeating: "/", count: 65_535), "parley/v1/" + String(repeating: "a/", count: 30_000),
            " parley/v1/gateway/status", "parley/v1/gateway/status\n", "parley\u{2215}v1/gateway/status",
        ])
    func hostile(text: String) { #expect(Topic(text) == nil) }

    @Test("levels are seen as the broker sees them: a combining mark hides no slash")
    func graphemes() {
        let text = "parley/v1/users/alice/\u{301}events"
        #expect(text.split(separator: "/").count < text.utf8.split(separator: UInt8(ascii: "/")).count)
        #expect(Topic(text) == nil)
        #expect(Topic.parse(Array("parley/v1/users/alice/events".utf8) + [0xCC, 0x81]) == nil)
        #expect(Topic.parse(Array("parley/v1/users/al".utf8) + [0xFF] + Array("/events".utf8)) == nil)
    }

    @Test("random topics print what is read as the same again")
    func roundTrip() throws {
        var generator = Seeded(stream: 5)
        for _ in 0..<2_000 {
            let topic = try generator.topic()
            #expect(Topic(topic.name) == topic, "\(topic.name)")
        }
    }

    @Test("a mutated topic is refused or is what its bytes say")
    func mutations() throws {
        var generator = Seeded(stream: 6)
        for _ in 0..<20_000 {
            var bytes = Array(try generator.topic().name.utf8)
            generator.mutate(&bytes)
            if let topic = Topic.parse(bytes) { #expect(Array(topic.name.utf8) == bytes) }
        }
    }

    @Test("no naughty string makes a topic that prints differently", .vectors)
    func naughtyStrings() throws {
        let strings = try Vectors.naughtyStrings()
        for text in strings {
            for topic in [
                text, "parley/v1/\(text)", "parley/v1/users/\(text)/events", "parley/v1/up/alice/phone/\(text)/send",
                "parley/v1/up/\(text)/phone/messages/send", "parley/v1/gateway/stats/\(text)",
                "parley/v1/conversations/\(text)/messages", "parley/v1/users/alice/\(text)",
            ] {
                if let parsed = Topic(topic) { #expect(Array(parsed.name.utf8) == Array(topic.utf8)) }
            }
        }
    }

    @Test("an operation is known by both its levels")
    func operations() throws {
        for kind in OperationTable.all {
            let levels = [kind.operation.area, kind.operation.verb]
            #expect(OperationTable.request(try #require(Operation(area: levels[0], verb: levels[1]))) == kind)
            #expect(OperationTable.request(try #require(Operation(area: levels[0], verb: "unknown"))) == nil)
            #expect(
                OperationTable.request(try #require(Operation(area: levels[0].uppercased(), verb: levels[1]))) == nil)
            #expect(Operation(area: levels[0], verb: levels[1]) == kind.operation)
            #expect(Operation(text: kind.operation.description) == kind.operation)
            #expect(kind.isForOperators == (levels[0] == "admin"))
        }
        for text in ["", "/", "messages", "messages/", "/send", "messages/send/", "a/b/c", "messages/se+nd"] {
            #expect(Operation(text: text) == nil)
        }
        #expect(Operation(area: "messages/send", verb: "x") == nil)
        #expect(Operation(area: "", verb: "send") == nil)
        #expect(Operation(area: "messages", verb: String(repeating: "v", count: 65)) == nil)
    }
}
