import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// Who hears what is published of a group: the members of its conversation, as they are at the time.
@Suite("Who hears a group")
struct GroupAccessTests {
    private static let gid = "7f310b0c-6a52-4c1e-9a51-0d2b1a2f3c4d"
    private static let foreign = "7f310b0c-6a52-4c1e-9a51-0d2b1a2f3c4e"
    private let group: GroupID
    private let conversation = ConversationID.random()
    private var audiences = Audiences()

    init() throws {
        group = try #require(GroupID(Self.gid))
        let foreign = try #require(GroupID(Self.foreign))
        audiences.set(["alice", "bob"], of: conversation)
        audiences.set(conversation, of: group)
        let other = ConversationID.random()
        audiences.set(["bob"], of: other)
        audiences.set(other, of: foreign)
    }

    private func subscribe(_ user: UserID, _ filter: String, held: Int = 0, isOperator: Bool = false) -> AccessDecision
    {
        let bytes = Array("parley/v1/groups/\(filter)".utf8)
        return AccessPolicy.subscribe(
            Bearer(address: device(user, "phone"), role: isOperator ? .operator : .device), filter: bytes.span,
            held: held,
            audiences: audiences)
    }

    private func receives(_ user: UserID, _ topic: String, isOperator: Bool = false) -> Bool {
        let bytes = Array("parley/v1/groups/\(topic)".utf8)
        return AccessPolicy.receive(
            Bearer(address: device(user, "phone"), role: isOperator ? .operator : .device), topic: bytes.span,
            payload: [UInt8]().span,
            audiences: audiences
        ).isAllowed
    }

    @Test(
        "a member subscribes to each channel, and to several by wildcards behind the id",
        arguments: [
            "events", "+", "#", "leaderboards/check-ins", "leaderboards/streak", "leaderboards/+", "leaderboards/#",
            "+/streak", "+/+", "+/#",
        ])
    func granted(filter: String) {
        #expect(subscribe("alice", "\(Self.gid)/\(filter)") == .allowed)
        #expect(subscribe("carol", "\(Self.gid)/\(filter)") == .denied(.foreignTopic))
        #expect(subscribe("alice", "\(Self.foreign)/\(filter)") == .denied(.foreignTopic))
        #expect(subscribe("carol", "\(Self.gid)/\(filter)", isOperator: true) == .allowed)
    }

    @Test(
        "what matches no topic of a group, or any group's, is refused to its members too",
        arguments: [
            gid, "\(gid)/", "\(gid)/leaderboards", "\(gid)/leaderboards/", "\(gid)/leaderboards/steps",
            "\(gid)/events/#", "\(gid)/events/x", "\(gid)/+/events", "\(gid)/leaderboards/streak/#", "\(gid)/+/+/+",
            "+/events", "#", "+/#", "+/leaderboards/streak", "/events", "x/events", "\(gid.uppercased())/events",
            "00000000-0000-4000-8000-000000000000/events",
        ])
    func refused(filter: String) { #expect(subscribe("alice", filter) == .denied(.foreignTopic)) }

    @Test("a delivery goes by who is in the conversation now, whatever was granted before")
    mutating func deliveries() {
        let topics = ["events", "leaderboards/check-ins", "leaderboards/streak"].map { "\(Self.gid)/\($0)" }
        for topic in topics {
            #expect(receives("alice", topic) && receives("bob", topic) && !receives("carol", topic))
            #expect(receives("carol", topic, isOperator: true))
        }
        for topic in ["\(Self.gid)/secret", "\(Self.gid)/leaderboards", "\(Self.gid)/leaderboards/x", "x/events"] {
            #expect(!receives("alice", topic), "\(topic)")
        }
        #expect(!receives("alice", "\(Self.foreign)/events"))
        audiences.set(["bob", "carol"], of: conversation)
        for topic in topics { #expect(!receives("alice", topic) && receives("carol", topic)) }
        audiences.end(group)
        for topic in topics { #expect(!receives("bob", topic)) }
        // The conversation goes on.
        #expect(audiences.isMember("bob", of: conversation))
    }

    @Test("the end of a conversation is the end of its group, and a group of none has nobody")
    mutating func ends() {
        audiences.end(conversation)
        #expect(!receives("bob", "\(Self.gid)/events"))
        audiences.end(group)
        audiences.end(group)
        audiences.set(.random(), of: group)
        #expect(!receives("bob", "\(Self.gid)/events"))
    }

    @Test("a member has as many filters more as can match, and no more when the group has ended")
    mutating func filters() {
        let most = 512 + 7 + 11
        let filter = "\(Self.gid)/events"
        #expect(subscribe("alice", filter, held: most - 1) == .allowed)
        #expect(subscribe("alice", filter, held: most) == .denied(.tooManyFilters))
        #expect(["alice", "bob", "carol"].map { audiences.groupCount(of: $0) } == [1, 2, 0])
        for _ in 0..<3 { audiences.set(["alice", "carol"], of: conversation) }
        #expect(["alice", "bob", "carol"].map { audiences.groupCount(of: $0) } == [1, 1, 1])
        for _ in 0..<2 { audiences.set(conversation, of: group) }
        #expect(["alice", "bob", "carol"].map { audiences.groupCount(of: $0) } == [1, 1, 1])
        audiences.end(group)
        #expect(["alice", "bob", "carol"].map { audiences.groupCount(of: $0) } == [0, 1, 0])
        #expect(["alice", "bob", "carol"].map { audiences.conversationCount(of: $0) } == [1, 1, 1])
    }
}
