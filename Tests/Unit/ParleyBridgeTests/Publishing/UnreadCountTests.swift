import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Numbers of unread messages, from the writer that leaves room for them to the publisher that counts.
@Suite("Unread counts of published events", .onEveryStore)
struct UnreadCountTests {
    private let test: TestWriter
    private let group: ConversationID
    private let ids = (0..<5).map { _ in MessageID.random() }

    init() throws {
        test = try TestWriter()
        group = try test.conversation(["alice", "bob"])
        test.carryOut(try ids.map { try send(group, id: $0) })
    }

    /// bob reads the second of five messages, and then archives the conversation.
    private func readAndArchive() throws -> Outgoing {
        let bob = device("bob", "phone")
        let requests = [
            try request(MarkRead.self, #"{"conversation_id":"\#(group)","message_id":"\#(ids[1])"}"#, from: bob),
            try request(UpdateConversation.self, #"{"conversation_id":"\#(group)","is_archived":true}"#, from: bob),
        ]
        return test.writer.carryOut(requests, now: at(0)).effects.outgoing
    }

    private func counts(in outgoing: Outgoing) throws -> [Int] {
        try outgoing.published.compactMap { $0.data["unread_count"] as? Int }
    }

    private func count(_ outgoing: inout Outgoing) throws {
        try test.countUnread(in: &outgoing)
    }

    @Test("the writer counts nothing, and the publisher counts what was unread then")
    func publisherCounts() throws {
        var outgoing = try readAndArchive()
        #expect(outgoing.unreadScopes.count == 2)
        #expect(try counts(in: outgoing) == [0, 0])
        // What comes later is told later.
        test.carryOut([try send(group), try send(group)])
        try count(&outgoing)
        #expect(outgoing.unreadScopes.isEmpty)
        #expect(try counts(in: outgoing) == [3, 3])
    }

    @Test("what was deleted before it was counted does not count")
    func deletedDoesNotCount() throws {
        var outgoing = try readAndArchive()
        test.carryOut([try change(.delete, ids[4], in: group)])
        try count(&outgoing)
        #expect(try counts(in: outgoing) == [2, 2])
    }

    @Test("what an earlier process left unpublished is counted by the next")
    func nextProcessCounts() throws {
        let outgoing = try readAndArchive()
        var left = Outgoing()
        for event in try test.store.read({ try $0.outbox.unpublished(after: 5, limit: 9) }) { left.add(event) }
        #expect(left.unreadScopes.count == 1)
        try count(&left)
        var published = outgoing
        try count(&published)
        let (again, first) = (try left.published, try published.events)
        #expect(again.map(\.event) == ["message.read", "conversation.read", "conversation.settings"])
        #expect(again.map(\.payload) == first.map(\.payload))
    }

    @Test("room stays room when one batch is added to another")
    func roomStaysRoom() throws {
        var both = Outgoing()
        both.raw(topic: Array("t".utf8), payload: Array("{}".utf8), position: nil)
        both.append(try readAndArchive())
        try count(&both)
        #expect(try counts(in: both) == [3, 3])
    }

    @Test("a thousand and more are a thousand")
    func atMostAThousand() throws {
        test.carryOut(try (0..<1100).map { _ in try send(group) })
        var outgoing = try readAndArchive()
        try count(&outgoing)
        #expect(try counts(in: outgoing) == [1000, 1000])
    }
}
