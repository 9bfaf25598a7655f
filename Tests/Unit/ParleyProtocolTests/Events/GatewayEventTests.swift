import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// Each event that the gateway writes, read by a device from its topic.
@Suite("Events as a device reads them", .seeded)
struct GatewayEventTests {
    static func read(_ topic: Topic, _ bytes: [UInt8]) throws -> (any PublishedEvent)? {
        try EventTable.read(bytes, on: topic)
    }

    /// Expects that the event, as it is published, is read unchanged on a topic, and on no other.
    private static func expectRead<E: PublishedEvent>(_ event: E, on topic: Topic, not others: Topic...) throws {
        let payload = JSONWriter.bytes(event.writeEvent)
        #expect(try read(topic, payload) as? E == event)
        for other in others {
            #expect(throws: ReadingError.misplaced(type: event.name)) { try read(other, payload) }
        }
    }

    @Test("every event has a name of its own, and its line in the table")
    func table() throws {
        let names = EventTable.names
        #expect(Set(names).count == names.count && EventTable.all.allSatisfy { !$0.names.isEmpty })
        for event in EventTable.all {
            for name in event.names {
                #expect(throws: ReadingError.self) { try event.read(name, JSONObject(parsing: [0x7B, 0x7D])) }
            }
        }
    }

    @Test("what the gateway writes is told from other events without a look at the data")
    func firstLook() {
        for name in EventTable.names {
            let payload = JSONWriter.bytes { writer in writer.event(name) { $0.object { _ in } } }
            // Cut off behind the type, it can no longer be read.
            let start = Array(payload.prefix(#"{"type":"","#.utf8.count + name.utf8.count))
            #expect(EventTable.mayRead(["other", name], in: start))
            #expect(!EventTable.mayRead(EventTable.names.filter { $0 != name }, in: start))
        }
    }

    @Test("every kind of record is a record, on the topic of its conversation alone")
    func records() throws {
        var generator = Seeded(stream: 80)
        for _ in 0..<300 {
            let record = try generator.record()
            let bytes = JSONWriter.bytes { record.writeEvent(to: &$0) }
            let topic = Topic.conversation(record.conversation, .messages)
            for wrong: Topic in [
                .conversation(generator.uuid(), .messages), .conversation(record.conversation, .receipts),
                .gatewayStatus, .user(record.sender.user, .events),
            ] {
                #expect(throws: ReadingError.misplaced(type: record.name)) { try Self.read(wrong, bytes) }
            }
            guard case .record(let read) = try ReceivedEvent(topic: topic, payload: bytes) else {
                Issue.record("not a record")
                return
            }
            #expect(MessageRecordTests.same(read, record, nil))
            #expect(try Self.read(topic, bytes) as? MessageRecord == read)
        }
    }

    @Test("receipts and typing are what was announced")
    func small() throws {
        var generator = Seeded(stream: 81)
        for _ in 0..<300 {
            let watermark = Watermark(
                conversation: generator.uuid(), user: try generator.address().user,
                kind: try generator.element(ReceiptKind.allCases), message: generator.uuid(),
                seq: Int.random(in: 0...Int.max, using: &generator), at: generator.time())
            try Self.expectRead(watermark, on: .conversation(watermark.conversation, .receipts))
            #expect(try Watermark(json: JSONWriter.bytes { watermark.write(to: &$0) }) == watermark)
            let indicator = TypingIndicator(
                conversation: generator.uuid(), sender: try generator.address(), isTyping: generator.chance(0.5),
                expiresAt: generator.time())
            try Self.expectRead(indicator, on: .conversation(indicator.conversation, .typing))
        }
    }

    @Test("conversations are what was announced, with the counter and without")
    func conversations() throws {
        var generator = Seeded(stream: 82)
        for _ in 0..<300 {
            let conversation = try generator.conversation()
            let user = try generator.address().user
            try Self.expectRead(ConversationCreated(conversation), on: .user(user, .events))
            let updated = ConversationUpdated(conversation)
            try Self.expectRead(updated, on: .conversation(conversation.id, .info))
            #expect(updated.conversation == conversation.withoutCounters)
        }
    }

    @Test("what is the user's own: a conversation gone, a device revoked or renewed; and the gateway's state")
    func others() throws {
        let id = try #require(ConversationID(EventTests.conversation))
        let alice = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))
        func event(_ type: String, _ data: String) -> [UInt8] { Array(#"{"type":"\#(type)","data":\#(data)}"#.utf8) }
        #expect(
            try Self.read(.user(alice.user, .events), event("conversation.removed", #"{"conversation_id":"\#(id)"}"#))
                as? ConversationRemoval == ConversationRemoval(conversation: id))
        #expect(
            try Self.read(
                .user(alice.user, .events),
                event(
                    "device.revoked",
                    #"{"user_id":"alice","device_id":"phone","at":"\#(EventTests.timeText)","by":"operator"}"#))
                as? DeviceRevocation == DeviceRevocation(device: alice, at: EventTests.time))
        try Self.expectRead(
            DeviceRenewal(device: alice, expiresAt: EventTests.time, at: EventTests.time),
            on: .user(alice.user, .events), not: .user(UserID(validated: "bob"), .events))
        #expect(
            try Self.read(
                .gatewayStatus,
                event(
                    "gateway.status",
                    #"{"state":"draining","version":"0.3","since":"\#(EventTests.timeText)","cell":"cell-1"}"#))
                as? GatewayStatus
                == GatewayStatus(state: .unknown("draining"), version: "0.3", since: EventTests.time, cell: "cell-1"))
        let imagined = event("presence.imagined", "{}")
        #expect(try Self.read(.user(alice.user, .presence), imagined) == nil)
        guard case .ignored = try ReceivedEvent(topic: .user(alice.user, .presence), payload: imagined) else {
            Issue.record("an event of a later version is ignored")
            return
        }
    }

    @Test("of one's own devices and of others' keys: a device added, a link offered and approved, keys that changed")
    func devices() throws {
        var generator = Seeded(stream: 85)
        for _ in 0..<100 {
            let (device, other) = (try generator.address(), try generator.address())
            let own = Topic.user(device.user, .events)
            let foreign = Topic.user(UserID(validated: "somebody-else"), .events)
            try Self.expectRead(DeviceAddition(device: device, at: generator.time()), on: own, not: foreign)
            let end = PushEnd(
                device: device, provider: .known(.fcm), reason: .unknown("forgotten"), at: generator.time())
            try Self.expectRead(end, on: own, not: foreign)
            let link = PendingLink(
                device: device.device, offer: generator.linkOffer(), expiresAt: generator.time())
            try Self.expectRead(link.notice, on: own)
            #expect(link.notice.device == device.device && link.notice.expiresAt == link.expiresAt)
            try Self.expectRead(generator.linkApproval(of: device.device), on: own)
            try Self.expectRead(KeysChange(user: other.user), on: own)
        }
    }

    @Test("what becomes of a group is what was announced, on the topic that it belongs on")
    func groups() throws {
        var generator = Seeded(stream: 86)
        for _ in 0..<100 {
            let (own, group) = (Topic.user(try generator.address().user, .events), try generator.group())
            let change = GroupMemberChange(
                group: group.id, user: try generator.address().user,
                by: generator.chance(0.5) ? try generator.address().user : nil,
                role: generator.chance(0.5) ? .known(try generator.element(MemberRole.allCases)) : nil)
            let shared = Topic.group(group.id, .events)
            try Self.expectRead(GroupJoined(group), on: own, not: shared)
            try Self.expectRead(GroupDeleted(group.id), on: own, not: shared)
            try Self.expectRead(GroupUpdated(group), on: shared, not: own)
            for kind in GroupMemberEvent.Kind.allCases {
                try Self.expectRead(
                    GroupMemberEvent(kind, change), on: shared,
                    not: own, .group(generator.uuid(), .events), .group(group.id, .streak))
            }
            #expect(try GroupList(json: GroupList(groups: [group]).json).groups == [group])
            #expect(group.memberCount == group.members.count)
        }
    }

    @Test("a challenge is what was announced, on the topic of its conversation alone")
    func challenges() throws {
        var generator = Seeded(stream: 86)
        for _ in 0..<300 {
            let challenge = try generator.challenge()
            let topic = Topic.conversation(challenge.conversation, .challenges)
            try Self.expectRead(
                challenge, on: topic,
                not: .conversation(generator.uuid(), .challenges), .conversation(challenge.conversation, .messages))
            let bytes = JSONWriter.bytes { challenge.writeEvent(to: &$0) }
            let act = JSONWriter.bytes { challenge.writeEvent(by: challenge.challenged, to: &$0) }
            #expect(EventOrigin(of: bytes.span).user == nil && EventOrigin(of: act.span).user == challenge.challenged)
            #expect(try Self.read(topic, act) as? Challenge == challenge)
        }
    }

    @Test("how a group stands is what was announced, on the topic of its board")
    func boards() throws {
        var generator = Seeded(stream: 87)
        for _ in 0..<100 {
            let (group, type) = (generator.uuid() as GroupID, try generator.element(LeaderboardType.allCases))
            let week = ISOWeek(of: CivilDay(daysSinceEpoch: generator.number(0...40_000)))
            let times = (0..<4).map { Timestamp(milliseconds: Int64($0) * 1000 + week.monday.midnight.milliseconds) }
            let board = Leaderboard(
                group: group, type: .known(type), week: week, startsAt: times[0], endsAt: times[1], closesAt: times[2],
                nextResetAt: times[3], version: generator.number(1...1000), isFinal: generator.chance(0.5),
                entries: try (0..<generator.number(0...10)).map { index in
                    Leaderboard.Entry(
                        user: try generator.address().user, displayName: generator.text(1...100),
                        photoURL: generator.chance(0.5) ? "https://example.org/a" : nil,
                        value: generator.number(1...100),
                        rank: index + 1, previousRank: generator.chance(0.5) ? index + 2 : nil, reachedAt: times[0])
                })
            try Self.expectRead(
                board, on: .group(group, type.channel),
                not: .group(group, type == .streak ? .checkIns : .streak), .group(generator.uuid(), type.channel),
                .group(group, .events))
            let end = WeekEnd(group: group, week: week, startsAt: times[0], endsAt: times[1], closesAt: times[2])
            try Self.expectRead(end, on: .group(group, .events), not: .group(group, .streak))
        }
    }

    @Test(
        "what is no event is a fault",
        arguments: [
            "", "[]", "{}", #"{"type":"x"}"#, #"{"type":1,"data":{}}"#, #"{"type":"x","data":[]}"#, "\u{FEFF}{}",
        ])
    func faults(json: String) {
        #expect(throws: ReadingError.self) { try Self.read(.gatewayStatus, Array(json.utf8)) }
    }

    @Test("mutated and random events are read or refused, and never trap")
    func mutated() throws {
        var generator = Seeded(stream: 84)
        var taken = 0
        for round in 0..<6_000 {
            let record = try generator.record()
            let conversation = try generator.conversation()
            var bytes =
                round % 2 == 0
                ? JSONWriter.bytes { record.writeEvent(to: &$0) }
                : JSONWriter.bytes(ConversationCreated(conversation).writeEvent)
            generator.mutate(&bytes)
            if round % 50 == 0 { bytes = generator.bytes(0...64) }
            let topic: Topic =
                round % 2 == 0 ? .conversation(record.conversation, .messages) : .user(record.sender.user, .events)
            if (try? Self.read(topic, bytes)) != nil { taken += 1 }
        }
        #expect(taken > 60)
    }

    @Test("the bodies of JSONTestSuite, as an event's data and beside it, never trap", .vectors)
    func jsonTestSuite() throws {
        let folder = try Vectors.folder("jsontestsuite/test_parsing")
        func isRead(_ payload: [UInt8]) -> Bool {
            (try? ReceivedEvent(topic: .gatewayStatus, payload: payload)) != nil
        }
        var read = 0
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let body = Array(try Data(contentsOf: file))
            for type in ["message.new", "conversation.created", "gateway.status", "new.kind"] {
                let head = Array(#"{"type":"\#(type)","data":"#.utf8)
                if isRead(head + body + Array("}".utf8)) { read += 1 }
                let beside = Array(#"{},"later":"#.utf8)
                if isRead(head + beside + body + Array("}".utf8)) { read += 1 }
            }
        }
        // Unknown types with an object, or with anything that is JSON beside it.
        #expect(read > 40)
    }
}

extension Seeded {
    mutating func group() throws -> TrainingGroup {
        let conversation = try conversation()
        return TrainingGroup(
            id: uuid(), name: text(1...100), conversation: conversation.id, createdBy: conversation.createdBy,
            createdAt: conversation.createdAt, timeZone: "Europe/Berlin", members: conversation.members)
    }

    mutating func challenge() throws -> Challenge {
        let challenger = try address().user
        var challenged = try address().user
        // The shortest names are few.
        while challenged == challenger { challenged = try address().user }
        let status = try element(ChallengeStatus.allCases)
        return Challenge(
            id: uuid(), conversation: uuid(), challenger: challenger, challenged: challenged,
            type: .known(try element(ChallengeType.allCases)), target: Int.random(in: 1...Int.max, using: &self),
            durationDays: Int.random(in: 1...90, using: &self), status: .known(status),
            progress: [challenger: Int.random(in: 0...Int.max, using: &self), challenged: 0],
            winner: chance(0.3) ? challenger : nil,
            outcome: chance(0.5) ? .known(try element(ChallengeOutcome.allCases)) : nil, createdAt: time(),
            acceptedAt: chance(0.5) ? time() : nil, endsAt: chance(0.5) ? time() : nil)
    }

    mutating func conversation() throws -> Conversation {
        let members = try (0..<Int.random(in: 1...10, using: &self)).map { _ in
            Member(
                user: try address().user, username: text(0...100), role: .known(try element(MemberRole.allCases)),
                joinedAt: time())
        }
        return Conversation(
            id: uuid(), type: .known(try element(ConversationType.allCases)), name: chance(0.5) ? text(0...100) : nil,
            createdBy: try address().user, createdAt: time(), updatedAt: time(), epoch: text(0...8),
            lastSeq: Int.random(in: 0...Int.max, using: &self), members: members)
    }
}
