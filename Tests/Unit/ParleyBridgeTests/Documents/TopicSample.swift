import Logging
import MQTTClient
import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge

/// One topic of each kind, and what `docs/topics.md` says of it.
struct TopicSample {
    let topic: Topic
    /// The events that come on it, or what else does.
    let payload: [String]
    let delivery: String

    static let conversation = ConversationID.random()
    static let group = GroupID.random()
    static let owner = device("alice", "phone")

    /// What comes on a topic is what the gateway makes of events there, in the order of their table.
    static func all() throws -> [TopicSample] {
        let events = try EventSample.byTopic()
        func sample(_ topic: Topic, _ payload: String, _ delivery: String) -> TopicSample {
            TopicSample(topic: topic, payload: [payload], delivery: delivery)
        }
        var samples: [TopicSample] = []
        let operation = try #require(Operation(area: "area", verb: "verb"))
        samples.append(sample(.up(owner, operation), "a request", "0 or 1, no"))
        samples += ReplyOutcome.allCases.map { sample(.down(owner, operation, $0), "a reply", "1, no") }
        let topics =
            ConversationChannel.allCases.map { Topic.conversation(conversation, $0) }
            + UserChannel.allCases.map { .user(owner.user, $0) } + GroupChannel.allCases.map { .group(group, $0) }
        for topic in topics {
            let made = events[topic] ?? []
            let names = Set(made.map(\.type))
            samples.append(
                TopicSample(
                    topic: topic, payload: EventTable.names.filter(names.contains),
                    delivery: Set(made.map(\.delivery)).sorted().joined(separator: "; ")))
        }
        samples.append(sample(.gatewayStatus, "gateway.status", "1, retained"))
        samples.append(sample(.gatewayStats(name: "name"), "a number", "0, retained"))
        return samples
    }

    /// The topic with placeholders for its ids.
    var pattern: String {
        String(topic.name.dropFirst(Topic.prefix.count))
            .replacing("\(TopicSample.conversation)", with: "{cid}")
            .replacing("\(TopicSample.group)", with: "{gid}")
            .replacing("alice/phone/area/verb", with: "{uid}/{did}/{area}/{verb}")
            .replacing("users/alice", with: "users/{uid}")
            .replacing("stats/name", with: "stats/{name}")
    }

    var direction: String {
        switch topic {
        case .up: "device to gateway"
        case .down: "gateway to device"
        case .conversation, .group, .user, .gatewayStatus, .gatewayStats: "out"
        }
    }

    /// Who hears the topic, asked of the rule that decides each delivery.
    func hearers() throws -> String {
        var audiences = Audiences()
        audiences.set(["alice", "bob"], of: TopicSample.conversation)
        audiences.befriend("alice", "carol")
        audiences.set(TopicSample.conversation, of: TopicSample.group)
        let name = Array(topic.name.utf8)
        func hears(_ address: DeviceAddress, isOperator: Bool = false) -> Bool {
            AccessPolicy.receive(
                Bearer(address: address, role: isOperator ? .operator : .device), topic: name.span,
                payload: [UInt8]().span,
                audiences: audiences
            ).isAllowed
        }
        let owner = TopicSample.owner
        #expect(!hears(device("mallory", "phone")) || topic == .gatewayStatus)
        switch (hears(owner), hears(device("alice", "laptop")), hears(device("bob", "phone"))) {
        case (true, true, true):
            if hears(device("mallory", "phone")) { return "everyone signed in" }
            return hears(device("root", "console"), isOperator: true) ? "members, operators" : "members"
        case (true, true, false):
            let friends = hears(device("carol", "phone")) ? ", friends" : ""
            return "that user\(friends)" + (hears(device("root", "console"), isOperator: true) ? ", operators" : "")
        case (true, false, false):
            #expect(!hears(device("root", "console"), isOperator: true))
            return "that device"
        case (false, false, false):
            if hears(owner, isOperator: true), !hears(device("root", "console"), isOperator: true) {
                return "the gateway, and an operator its own"
            }
            return hears(device("root", "console"), isOperator: true) ? "operators" : "the gateway"
        default:
            Issue.record("nobody has described who hears \(topic.name)")
            return ""
        }
    }
}

/// An event as the gateway makes it.
struct EventSample {
    let type: String
    let delivery: String

    /// A device is added, publishes, links another one, and loses its registration to that.
    private static func accounts() throws -> [IncomingCommand] {
        let (phone, laptop) = (device("bob", "phone"), device("bob", "laptop"))
        let (account, keys) = (try TestAccount(1), try TestKeys(2))
        let token = #"{"provider":"fcm","token":"a"}"#
        return [
            try request(
                AddDevice.self, #"{"user_id":"bob","device_id":"tablet"}"#, from: device("operator", "console")),
            try publish(keys, by: account, from: phone), try offer(try TestKeys(3), from: laptop),
            try approve(try TestKeys(3), of: laptop, by: account, from: phone),
            try request(RegisterPush.self, token, from: phone), try request(RegisterPush.self, token, from: laptop),
        ]
    }

    /// A group changes, and ends.
    private static func groups(_ test: TestWriter) throws -> [IncomingCommand] {
        let group = #""group_id":"\#(TopicSample.group)""#
        let bob = device("bob", "phone")
        let invite = test.carryOut([try request(CreateInvite.self, "{\(group)}")]).effects.outgoing
        let token = try #require(try invite.replies.first?.data["token"] as? String)
        return try [
            request(CreateGroup.self, #"{"name":"Walkers"}"#, from: device("dave", "phone")),
            request(AcceptInvite.self, #"{"token":"\#(token)"}"#, from: device("erin", "phone")),
            request(SetGroupRole.self, #"{\#(group),"user_id":"bob","role":"admin"}"#),
            request(UpdateGroup.self, #"{\#(group),"name":"Swimmers"}"#),
            request(RemoveGroupMember.self, #"{\#(group),"user_id":"carol"}"#),
            request(LeaveGroup.self, "{\(group)}"), request(DeleteGroup.self, "{\(group)}", from: bob),
        ]
    }

    /// Every event that the gateway makes now, by the topic that it goes to.
    static func byTopic() throws -> [Topic: [EventSample]] {
        let test = try TestWriter()
        let cid = TopicSample.conversation
        _ = try test.conversation(["alice", "bob"], id: cid)
        try test.group(["alice", "bob", "carol"], id: TopicSample.group)
        try test.addPeople(["dave", "erin"])
        let id = MessageID.random()
        let (named, message) = ("{\"conversation_id\":\"\(cid)\"", "\"message_id\":\"\(id)\"}")
        let carol = device("carol", "phone")
        let social = try [
            request(ProfileChange.self, #"{"message_privacy":"followers"}"#, from: carol),
            request(CreateConversation.self, #"{"type":"direct","participant_ids":["carol"]}"#),
            send(ConversationID.direct(["alice", "carol"])),
            request(Follow.self, #"{"user_id":"carol"}"#), request(Follow.self, #"{"user_id":"alice"}"#, from: carol),
            request(Block.self, #"{"user_id":"carol"}"#), request(Unblock.self, #"{"user_id":"carol"}"#),
        ]
        var outgoing = test.carryOut(
            [
                try request(CreateConversation.self, #"{"type":"direct","participant_ids":["bob"]}"#),
                try send(cid, id: id),
                try request(MarkDelivered.self, "\(named),\(message)", from: device("bob", "phone")),
                try request(MarkRead.self, "\(named),\(message)", from: device("bob", "phone")),
                try request(StartTyping.self, "\(named)}"),
                try request(UpdateConversation.self, "\(named),\"is_muted\":true}"),
                try change(.reaction, id, in: cid, from: device("bob", "phone")),
                try request(
                    CreateChallenge(conversation: cid, challenged: "bob", type: .steps, target: 1, durationDays: 1),
                    from: device("alice", "phone")),
                try request(LeaveConversation.self, "\(named)}", from: device("bob", "phone")),
                try request(RevokeDevice.self, #"{"device_id":"laptop"}"#), try request(RenewDevice.self, "{}"),
            ] + social + (try accounts()) + (try groups(test))
        ).effects.outgoing
        outgoing.append(
            test.carryOut([
                try request(MarkNotificationsRead.self, #"{"all":true}"#),
                try request(PostActivity.self, #"{"id":"\#(id)","type":"goal_reached","title":"5 km"}"#),
                try request(ReactToActivity.self, #"{"id":"\#(id)","emoji":"👏"}"#),
            ]).effects.outgoing)
        // The week of dave's group ends.
        outgoing.append(test.writer.run(BoardDuty.self, now: at(.days(7))).outgoing)
        let presence = try PresenceDuty(test.store, Settings(), now: at(0))
        presence.handle([.online("alice")], now: at(0))
        outgoing.append(test.writer.run(due: presence, now: at(0)).outgoing)
        // No operation makes these yet, but a history that was imported holds them.
        for kind in RecordKind.allCases {
            let record = MessageRecord(
                id: .random(), conversation: cid, epoch: "e", seq: 1, kind: kind, target: nil,
                sender: TopicSample.owner, type: .text, suite: nil, content: nil, nonce: nil, recipientKeys: nil,
                replyTo: nil, expiresAt: nil, createdAt: at(0))
            outgoing.event(.conversation(cid, .messages), position: nil) { record.writeEvent(to: &$0) }
        }
        var events: [Topic: [EventSample]] = [:]
        for event in try outgoing.events {
            guard let type = event.event, let topic = Topic(event.topic) else { continue }
            let delivery = "\(event.qos.rawValue), \(event.isRetained ? "retained" : "no")"
            #expect(try EventTable.read(event.payload, on: topic)?.name == type)
            events[TopicSample.likeness(of: topic), default: []].append(EventSample(type: type, delivery: delivery))
        }
        return events
    }
}

extension TopicSample {
    /// The sample of the same kind of topic.
    fileprivate static func likeness(of topic: Topic) -> Topic {
        switch topic {
        case .conversation(_, let channel): .conversation(conversation, channel)
        case .user(_, let channel): .user(owner.user, channel)
        case .group(_, let channel): .group(group, channel)
        case .up, .down, .gatewayStatus, .gatewayStats: topic
        }
    }
}
