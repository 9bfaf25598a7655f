import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Writing to a stranger: one message, which waits until they let it in.
@Suite("Message requests", .onEveryStore)
struct MessageRequestTests {
    private let world: SocialWorld

    init() throws { world = try SocialWorld() }

    /// What follows from asking bob in a conversation.
    private static func asking(in id: ConversationID) -> [String] {
        [
            "conversations/\(id)/messages: message.new", "users/bob/events: message.request",
            "users/bob/notifications: notification.new",
        ]
    }

    @Test("a stranger's conversation is nothing of the other's, and one message waits for them alone")
    func strangersMessageWaits() throws {
        let id = try ConversationID.direct(["alice", "bob"])
        let made = try world.create(by: "alice", with: "bob")
        #expect(made.events == ["users/alice/events: conversation.created"])
        #expect(made.audience == [.conversation(id, members: ["alice"])])
        #expect(try world.read(GetConversation.self, by: "alice", try direct("alice", "bob")).isOK == true)
        #expect(try world.read(GetConversation.self, by: "bob", try direct("alice", "bob")).code == "not_found")

        #expect(try world.canMessage("alice", "bob") == "may, limited: request")
        let sent = try world.write("alice", to: "bob")
        #expect(sent.reply.isOK == true)
        #expect(sent.events == Self.asking(in: id))
        #expect(sent.audience.isEmpty)
        #expect(try world.write("alice", to: "bob").code == "request_limit")
        #expect(try world.canMessage("alice", "bob") == "may not, limited: request_limit")
        for kind in [GetConversation.self, GetHistory.self] as [any Query.Type] {
            #expect(try world.read(kind, by: "bob", try direct("alice", "bob")).code == "not_found")
        }
        #expect(try world.read(ListConversations.self, by: "bob").data["total"] as? Int == 0)
        let waiting = try #require(try world.read(ListRequests.self, by: "bob").data["items"] as? [[String: Any]])
        #expect(waiting.map { $0["user_id"] as? String } == ["alice"])
        #expect(waiting[0]["conversation_id"] as? String == "\(id)")
        #expect((waiting[0]["message"] as? [String: Any])?["seq"] as? Int == 1)
        #expect(try (world.read(ListRequests.self, by: "alice").data["items"] as? [Any])?.isEmpty == true)
    }

    @Test(
        "accepting, answering and following back each open the conversation for both, once",
        arguments: ["accept", "answer", "follow back", "accept after declining", "answer after declining"])
    func opening(way: String) throws {
        let id = try ConversationID.direct(["alice", "bob"])
        try world.askToWrite(by: "alice", to: "bob")
        let conversation = try direct("alice", "bob")
        var opened: SocialWorld.Result
        switch way {
        case "accept": opened = try world.ask(AcceptRequest.self, by: "bob", conversation)
        case "answer": opened = try world.write("bob", to: "alice")
        case "follow back":
            try world.ask(Follow.self, by: "alice", of: "bob")
            opened = try world.ask(Follow.self, by: "bob", of: "alice")
        case "accept after declining":
            try world.ask(DeclineRequest.self, by: "bob", conversation)
            opened = try world.ask(AcceptRequest.self, by: "bob", conversation)
        default:
            try world.ask(DeclineRequest.self, by: "bob", conversation)
            opened = try world.write("bob", to: "alice")
        }
        #expect(opened.reply.isOK == true)
        #expect(opened.events.contains("users/bob/events: conversation.created"))
        #expect(!opened.events.contains("users/alice/events: conversation.created"))
        #expect(opened.audience.contains(.conversation(id, members: ["alice", "bob"])))
        #expect(try world.read(GetHistory.self, by: "bob", conversation).isOK == true)
        #expect(try (world.read(ListRequests.self, by: "bob").data["items"] as? [Any])?.isEmpty == true)
        for _ in 0..<2 {
            let more = try world.write("alice", to: "bob")
            #expect(more.events == ["conversations/\(id)/messages: message.new"])
            #expect(try world.write("bob", to: "alice").reply.isOK == true)
        }
        let again = try world.ask(AcceptRequest.self, by: "bob", conversation)
        #expect(again.reply.isOK == true && again.events.isEmpty && again.audience.isEmpty)
    }

    @Test("declining tells the asker nothing, and changes nothing for them")
    func decliningTellsNothing() throws {
        let conversation = try direct("alice", "bob")
        try world.askToWrite(by: "alice", to: "bob")
        let before = try world.canMessage("alice", "bob")
        for events in [["users/bob/notifications: notification.cleared"], []] {
            let declined = try world.ask(DeclineRequest.self, by: "bob", conversation)
            #expect(declined.reply.isOK == true && declined.events == events && declined.audience.isEmpty)
        }
        #expect(try world.canMessage("alice", "bob") == before)
        #expect(try world.write("alice", to: "bob").code == "request_limit")
        #expect(try (world.read(ListRequests.self, by: "bob").data["items"] as? [Any])?.isEmpty == true)
        #expect(try world.canMessage("bob", "alice") == "may: accepted_request")
    }

    @Test("whoever was asked may make the conversation, and it stays closed until they answer")
    func askedMayMakeIt() throws {
        try world.askToWrite(by: "alice", to: "bob")
        let made = try world.create(by: "bob", with: "alice")
        #expect(made.reply.data["last_seq"] as? Int == 1 && made.events.isEmpty && made.audience.isEmpty)
        #expect(try world.read(GetConversation.self, by: "bob", try direct("alice", "bob")).code == "not_found")
    }

    @Test("nobody accepts, declines or sends in what is not theirs")
    func foreignIsRefused() throws {
        try world.askToWrite(by: "alice", to: "bob")
        let group = try world.test.conversation(["alice", "carol"])
        let others = [
            try direct("alice", "bob"), try direct("alice", "carol"), #"{"conversation_id":"\#(group)"}"#,
        ]
        for conversation in others {
            for kind in [AcceptRequest.self, DeclineRequest.self] as [any Command.Type] {
                let refused = try world.ask(kind, by: "carol", conversation)
                #expect(refused.code == "not_found" && refused.events.isEmpty && refused.audience.isEmpty)
            }
        }
        #expect(try world.ask(AcceptRequest.self, by: "alice", try direct("alice", "bob")).code == "not_found")
        // A conversation that somebody has made with them and not written in is not there for them.
        try world.create(by: "carol", with: "bob")
        #expect(try world.write("bob", to: "carol").code == "not_found")
        #expect(try world.ask(AcceptRequest.self, by: "bob", try direct("carol", "bob")).code == "not_found")
    }

    @Test("after a friendship has ended there is no new request for thirty days, and one then")
    func thirtyDaysAfterFriendship() throws {
        let (day, now) = (Int64(86_400_000), at(0))
        try world.befriend("alice", "bob", now: now)
        try world.create(by: "alice", with: "bob", now: now)
        for _ in 0..<3 { #expect(try world.write("alice", to: "bob", now: now).reply.isOK == true) }
        try world.ask(Unfollow.self, by: "bob", of: "alice", now: now)
        let last = now.advanced(byMilliseconds: 30 * day - 1)
        #expect(try world.write("alice", to: "bob", now: last).code == "request_limit")
        #expect(try world.write("bob", to: "alice", now: last).code == "request_limit")
        let first = now.advanced(byMilliseconds: 30 * day)
        let asked = try world.write("alice", to: "bob", now: first)
        let id = try ConversationID.direct(["alice", "bob"])
        #expect(asked.audience == [.conversation(id, members: ["alice"])])
        #expect(asked.events == Self.asking(in: id))
        #expect(try world.write("alice", to: "bob", now: first).code == "request_limit")
        #expect(try world.read(GetConversation.self, by: "bob", try direct("alice", "bob")).code == "not_found")
    }

    @Test("a request is repeated with the same reply, whatever has changed since")
    func repeatedReply() throws {
        try world.create(by: "alice", with: "bob")
        let id = MessageID.random()
        let first = try world.write("alice", to: "bob", id: id)
        try world.ask(Block.self, by: "bob", of: "alice")
        let again = try world.write("alice", to: "bob", id: id)
        #expect(again.reply.payload == first.reply.payload && again.events.isEmpty && again.audience.isEmpty)
    }

    @Test("of sixty-four requests at one instant one is accepted")
    func oneOfSixtyFour() throws {
        try world.create(by: "alice", with: "bob")
        let id = try ConversationID.direct(["alice", "bob"])
        let requests = try (0..<64).map { number in
            try send(id, from: device("alice", number.isMultiple(of: 2) ? "phone" : "laptop"))
        }
        let replies = try world.test.carryOut(requests).effects.outgoing.replies
        #expect(replies.filter { $0.isOK == true }.count == 1)
        #expect(replies.filter { $0.code == "request_limit" }.count == 63)
        #expect(try world.test.text("SELECT count(*) FROM records") == "1")
    }
}
