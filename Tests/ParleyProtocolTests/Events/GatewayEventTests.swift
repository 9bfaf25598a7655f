import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// Each event that the gateway writes, read by a device from its topic.
@Suite("Events as a device reads them", .seeded)
struct GatewayEventTests {
    static func read(_ topic: Topic, _ bytes: [UInt8]) throws -> GatewayEvent {
        try GatewayEvent(topic: topic, payload: bytes)
    }

    @Test("every kind of record is a record")
    func records() throws {
        var generator = Seeded(stream: 80)
        for _ in 0..<300 {
            let record = try generator.record()
            let bytes = JSONWriter.bytes { record.writeEvent(to: &$0) }
            guard case .record(let read) = try Self.read(.conversation(record.conversation, .messages), bytes) else {
                Issue.record("not a record")
                return
            }
            #expect(MessageRecordTests.same(read, record, nil))
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
            #expect(
                try Self.read(
                    .conversation(watermark.conversation, .receipts),
                    JSONWriter.bytes { watermark.writeEvent(to: &$0) }) == .receipt(watermark))
            #expect(try Watermark(json: JSONWriter.bytes { watermark.write(to: &$0) }) == watermark)
            let indicator = TypingIndicator(
                conversation: generator.uuid(), sender: try generator.address(), isTyping: generator.chance(0.5),
                expiresAt: generator.time())
            #expect(
                try Self.read(
                    .conversation(indicator.conversation, .typing), JSONWriter.bytes { indicator.writeEvent(to: &$0) })
                    == .typing(indicator))
        }
    }

    @Test("conversations are what was announced, with the counter and without")
    func conversations() throws {
        var generator = Seeded(stream: 82)
        for _ in 0..<300 {
            let conversation = try generator.conversation()
            let user = try generator.address().user
            #expect(
                try Self.read(.user(user, .events), JSONWriter.bytes { conversation.writeCreated(to: &$0) })
                    == .conversationCreated(conversation))
            #expect(
                try Self.read(
                    .conversation(conversation.id, .info), JSONWriter.bytes { conversation.writeUpdated(to: &$0) })
                    == .conversationUpdated(conversation.withoutCounters))
        }
    }

    @Test("what is the user's own: a conversation gone, a device revoked or renewed; and the gateway's state")
    func others() throws {
        let id = try #require(ConversationID(EventTests.conversation))
        let alice = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))
        func event(_ type: String, _ data: String) -> [UInt8] { Array(#"{"type":"\#(type)","data":\#(data)}"#.utf8) }
        #expect(
            try Self.read(.user(alice.user, .events), event("conversation.removed", #"{"conversation_id":"\#(id)"}"#))
                == .conversationRemoved(id))
        #expect(
            try Self.read(
                .user(alice.user, .events),
                event(
                    "device.revoked",
                    #"{"user_id":"alice","device_id":"phone","at":"\#(EventTests.timeText)","by":"operator"}"#))
                == .deviceRevoked(DeviceRevocation(device: alice, at: EventTests.time)))
        let renewal = DeviceRenewal(device: alice, expiresAt: EventTests.time, at: EventTests.time)
        let renewed = JSONWriter.bytes { renewal.writeEvent(to: &$0) }
        #expect(try Self.read(.user(alice.user, .events), renewed) == .deviceRenewed(renewal))
        #expect(throws: ReadingError.misplaced(type: "device.renewed")) {
            try Self.read(.user(UserID(validated: "bob"), .events), renewed)
        }
        #expect(
            try Self.read(
                .gatewayStatus,
                event("gateway.status", #"{"state":"draining","version":"0.3","since":"\#(EventTests.timeText)"}"#))
                == .gatewayStatus(
                    GatewayStatus(state: .unknown("draining"), version: "0.3", since: EventTests.time)))
        #expect(
            try Self.read(.user(alice.user, .presence), event("presence.imagined", "{}"))
                == .unknown(type: "presence.imagined"))
    }

    @Test("of one's own devices and of others' keys: a device added, a link offered and approved, keys that changed")
    func devices() throws {
        var generator = Seeded(stream: 85)
        for _ in 0..<100 {
            let (device, other) = (try generator.address(), try generator.address())
            let own = Topic.user(device.user, .events)
            let addition = DeviceAddition(device: device, at: generator.time())
            let added = JSONWriter.bytes { addition.writeEvent(to: &$0) }
            #expect(try Self.read(own, added) == .deviceAdded(addition))
            #expect(throws: ReadingError.misplaced(type: "device.added")) {
                try Self.read(.user(UserID(validated: "somebody-else"), .events), added)
            }
            let end = PushEnd(
                device: device, provider: .known(.fcm), reason: .unknown("forgotten"), at: generator.time())
            let ended = JSONWriter.bytes { end.writeEvent(to: &$0) }
            #expect(try Self.read(own, ended) == .pushEnded(end))
            #expect(throws: ReadingError.misplaced(type: "push.ended")) {
                try Self.read(.user(UserID(validated: "somebody-else"), .events), ended)
            }
            let link = PendingLink(
                device: device.device, offer: generator.linkOffer(), expiresAt: generator.time())
            guard
                case .linkOffered(let offer) = try Self.read(own, JSONWriter.bytes { link.writeEvent(to: &$0) })
            else {
                Issue.record("not an offer")
                return
            }
            #expect(offer.device == device.device && offer.expiresAt == link.expiresAt)
            let approval = generator.linkApproval(of: device.device)
            #expect(
                try Self.read(own, JSONWriter.bytes { approval.writeEvent(to: &$0) }) == .linkApproved(approval))
            #expect(
                try Self.read(own, JSONWriter.bytes { KeysChange(user: other.user).writeEvent(to: &$0) })
                    == .keysChanged(other.user))
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
            let events: [(GroupEvent, Topic, wrong: Topic)] = [
                (.joined(group), own, shared), (.deleted(group.id), own, shared), (.updated(group), shared, own),
                (.memberJoined(change), shared, own), (.memberLeft(change), shared, .group(generator.uuid(), .events)),
                (.memberRemoved(change), shared, .group(group.id, .streak)), (.roleChanged(change), shared, own),
            ]
            for (event, topic, wrong) in events {
                let bytes = JSONWriter.bytes { event.writeEvent(to: &$0) }
                #expect(try Self.read(topic, bytes) == .group(event))
                #expect(throws: ReadingError.misplaced(type: "\(event.type)")) { try Self.read(wrong, bytes) }
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
            let bytes = JSONWriter.bytes { challenge.writeEvent(to: &$0) }
            let act = JSONWriter.bytes { challenge.writeEvent(by: challenge.challenged, to: &$0) }
            #expect(EventOrigin(of: bytes.span).user == nil && EventOrigin(of: act.span).user == challenge.challenged)
            for bytes in [bytes, act] {
                #expect(
                    try Self.read(.conversation(challenge.conversation, .challenges), bytes)
                        == .challengeUpdated(challenge))
            }
            for topic: Topic in [
                .conversation(generator.uuid(), .challenges), .conversation(challenge.conversation, .messages),
            ] {
                #expect(throws: ReadingError.misplaced(type: "challenge.updated")) { try Self.read(topic, bytes) }
            }
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
            let bytes = JSONWriter.bytes { board.writeEvent(to: &$0) }
            #expect(try Self.read(.group(group, type.channel), bytes) == .leaderboard(board))
            for wrong: Topic in [
                .group(group, type == .streak ? .checkIns : .streak), .group(generator.uuid(), type.channel),
                .group(group, .events),
            ] {
                #expect(throws: ReadingError.misplaced(type: "leaderboard.updated")) { try Self.read(wrong, bytes) }
            }
            let end = WeekEnd(group: group, week: week, startsAt: times[0], endsAt: times[1], closesAt: times[2])
            let ended = JSONWriter.bytes { end.writeEvent(to: &$0) }
            #expect(try Self.read(.group(group, .events), ended) == .weekEnded(end))
            #expect(throws: ReadingError.misplaced(type: "week.ended")) {
                try Self.read(.group(group, .streak), ended)
            }
        }
    }

    @Test("an event on the topic of something else is not believed")
    func misplaced() throws {
        var generator = Seeded(stream: 83)
        let record = try generator.record()
        let bytes = JSONWriter.bytes { record.writeEvent(to: &$0) }
        for topic: Topic in [
            .conversation(generator.uuid(), .messages), .conversation(record.conversation, .receipts), .gatewayStatus,
            .user(record.sender.user, .events),
        ] {
            let fault = #expect(throws: ReadingError.self) { try Self.read(topic, bytes) }
            guard case .misplaced? = fault else {
                Issue.record("\(topic): \(String(describing: fault))")
                continue
            }
        }
        #expect(throws: Never.self) { try Self.read(.conversation(record.conversation, .messages), bytes) }
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
                : JSONWriter.bytes { conversation.writeCreated(to: &$0) }
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
        var read = 0
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let body = Array(try Data(contentsOf: file))
            for type in ["message.new", "conversation.created", "gateway.status", "new.kind"] {
                let head = Array(#"{"type":"\#(type)","data":"#.utf8)
                if (try? Self.read(.gatewayStatus, head + body + Array("}".utf8))) != nil { read += 1 }
                let beside = Array(#"{},"later":"#.utf8)
                if (try? Self.read(.gatewayStatus, head + beside + body + Array("}".utf8))) != nil { read += 1 }
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
