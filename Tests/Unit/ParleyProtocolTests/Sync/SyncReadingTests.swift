import ParleyProtocol
import Testing

@Suite("What was missed as a device reads it")
struct SyncReadingTests {
    private static let id = "7ff2d9c8-d0a4-8046-9527-01d1046656da"

    private func read(_ json: String) throws -> SyncReply { try SyncReply(json: Array(json.utf8)) }

    private func conversation(_ changes: String = "") -> String {
        #"{"conversation_id":"\#(Self.id)","recovered":true,"epoch":"e","last_seq":9,"messages":[],"#
            + #""watermarks":{"alice":{"delivered":9,"read":4},"bob":{"delivered":2,"read":0}},"unread_count":5\#(changes)}"#
    }

    @Test("conversations, what was left, and whether there is more")
    func parts() throws {
        let part = try read(
            #"{"conversations":[\#(conversation())],"left":["\#(Self.id)"],"complete":false,"next_cursor":"c"}"#)
        let synced = try #require(part.conversations.first)
        #expect(synced.isRecovered && synced.epoch == "e" && synced.lastSeq == 9 && synced.unreadCount == 5)
        #expect(synced.watermarks[UserID(validated: "alice")] == .init(delivered: 9, read: 4))
        #expect(part.left.map(\.description) == [Self.id] && !part.isComplete && part.nextCursor == "c")
        let last = try read(#"{"conversations":[],"left":[],"complete":true}"#)
        #expect(last.isComplete && last.conversations.isEmpty && last.nextCursor == nil)
    }

    @Test(
        "what is no such reply is a fault",
        arguments: [
            "{}", #"{"conversations":[]}"#, #"{"conversations":{},"left":[],"complete":true}"#,
            #"{"conversations":[{}],"left":[],"complete":true}"#, #"{"conversations":[],"left":["x"],"complete":true}"#,
            #"{"conversations":[],"left":[1],"complete":true}"#,
            #"{"conversations":[{"conversation_id":"\#(id)","recovered":true,"epoch":"e","last_seq":-1,"messages":[],"watermarks":{},"unread_count":0}],"left":[],"complete":true}"#,
            #"{"conversations":[{"conversation_id":"\#(id)","recovered":true,"epoch":"e","last_seq":1,"messages":[],"watermarks":{"a b":{"delivered":1,"read":1}},"unread_count":0}],"left":[],"complete":true}"#,
        ])
    func faults(json: String) {
        #expect(throws: ReadingError.self) { try read(json) }
    }
}
