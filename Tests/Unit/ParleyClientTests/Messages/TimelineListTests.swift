import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("The list of a conversation's messages", .seeded)
struct TimelineListTests {
    private let conversation = ConversationID(UUIDValue(high: 1, low: 1))

    private func message(
        _ number: Int, at seq: Int? = nil, _ text: String = "text", _ status: ChatMessage.Status? = nil,
        kind: RecordKind = .message
    ) -> ChatMessage {
        ChatMessage(
            id: MessageID(UUIDValue(high: 2, low: UInt64(number))), conversation: conversation,
            position: seq.map { ChatMessage.Position(epoch: "e", seq: $0) }, kind: .known(kind), target: nil,
            sender: device("alice/phone"), type: .known(.text), suite: nil, replyTo: nil, expiresAt: nil,
            createdAt: Timestamp(milliseconds: 0),
            content: ChatMessage.Content(textJSON(text), kind: .known(kind), type: .known(.text)), editedAt: nil,
            reactions: [:], status: status)
    }

    private func page(_ messages: [ChatMessage], reachedStart: Bool = false) -> HistorySlice {
        HistorySlice(messages: messages, reachedStart: reachedStart, reachedEnd: true)
    }

    /// A list of the messages 5, 6 and 7, at these places.
    private func list(reachedStart: Bool = false) -> TimelineList {
        var list = TimelineList()
        list.reload(page((5...7).map { message($0, at: $0) }, reachedStart: reachedStart))
        return list
    }

    private func numbers(_ list: TimelineList) -> [Int] { list.messages.map { Int($0.id.value.low) } }

    @Test("messages come in any order, and stand in the order of the log")
    func outOfOrder() {
        var generator = Seeded(stream: 7)
        for _ in 0..<200 {
            var list = list()
            for number in Array(8...20).shuffled(using: &generator) { list.put(message(number, at: number)) }
            #expect(numbers(list) == Array(5...20))
        }
    }

    @Test("one before the first row comes with its page alone, and the page's are not doubled")
    func earlier() {
        var list = list()
        list.put(message(3, at: 3))
        #expect(numbers(list) == [5, 6, 7] && list.oldest == message(5).id)
        list.addEarlier(page([3, 4, 5].map { message($0, at: $0) }))
        #expect(numbers(list) == [3, 4, 5, 6, 7] && !list.reachedStart)
        list.addEarlier(page([message(2, at: 2)], reachedStart: true))
        list.put(message(1, at: 1))
        #expect(numbers(list) == [1, 2, 3, 4, 5, 6, 7] && list.reachedStart)
    }

    @Test("an own message stands last until it is sent, and then where the log has it")
    func sending() {
        var list = list()
        list.put(message(20, "mine", .queued))
        list.put(message(8, at: 8))
        #expect(numbers(list) == [5, 6, 7, 8, 20])
        list.put(message(21, "mine, too", .queued))
        list.put(message(20, at: 9, "mine", .sent))
        list.put(message(10, at: 10))
        #expect(numbers(list) == [5, 6, 7, 8, 20, 10, 21])
        // Events from before it was sent come late.
        list.put(message(20, "mine", .queued))
        list.mark(message(20).id, .queued)
        #expect(numbers(list) == [5, 6, 7, 8, 20, 10, 21] && list.messages[4].status == .sent)
    }

    @Test("a status only advances, but a failed message may begin anew")
    func statuses() {
        var list = TimelineList()
        list.put(message(1, "mine", .queued))
        let id = message(1).id
        for (status, shown): (ChatMessage.Status, ChatMessage.Status) in [
            (.sent, .sent), (.queued, .sent), (.read, .read), (.delivered, .read),
            (.failed(.noRecipientKeys), .failed(.noRecipientKeys)),
            (.queued, .queued),
        ] {
            list.mark(id, status)
            #expect(list.messages[0].status == shown)
        }
        list.mark(message(2).id, .read)
        #expect(numbers(list) == [1])
    }

    @Test("records of changes are no rows, and what is removed is gone")
    func changes() {
        var list = list()
        list.put(message(8, at: 8, kind: .edit))
        list.remove(message(6).id)
        list.remove(message(6).id)
        #expect(numbers(list) == [5, 7])
    }

    @Test("an update says which rows go, come and change")
    func rows() {
        let before = list()
        var after = before
        after.put(message(6, at: 6, "edited"))
        after.remove(message(5).id)
        after.put(message(8, at: 8))
        after.put(message(9, "mine", .queued))
        let update = TimelineUpdate(from: before.messages, to: after)
        #expect(update.removed == [0] && update.inserted == [2, 3] && update.updated == [0])
        #expect(!update.isReloaded && !update.isEmpty)
        #expect(TimelineUpdate(from: after.messages, to: after).isEmpty)
        var sent = after
        sent.put(message(9, at: 7, "mine", .sent))
        sent.put(message(8, at: 8))
        let moved = TimelineUpdate(from: after.messages, to: sent)
        #expect(apply(moved, to: after.messages) == sent.messages.map(\.id))
    }

    /// What a list view does: its rows by their ids.
    private func apply(_ update: TimelineUpdate, to rows: [ChatMessage]) -> [MessageID] {
        var ids = rows.map(\.id)
        for row in update.removed { ids.remove(at: row) }
        for row in update.inserted { ids.insert(update.messages[row].id, at: row) }
        return ids
    }

    @Test("a view that follows the rows shows the list, whatever happens to it")
    func followed() {
        var generator = Seeded(stream: 11)
        for _ in 0..<300 {
            var list = list()
            for _ in 0..<20 {
                let before = list.messages
                let number = Int.random(in: 1...12, using: &generator)
                let text = ["a", "b"].randomElement(using: &generator) ?? ""
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: list.remove(message(number).id)
                case 1: list.put(message(number, text, .queued))
                case 2: list.addEarlier(page((1...4).map { message($0, at: $0) }))
                default: list.put(message(number, at: number, text, .sent))
                }
                let update = TimelineUpdate(from: before, to: list)
                #expect(apply(update, to: before) == list.messages.map(\.id))
                let old = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0) })
                for (row, message) in list.messages.enumerated() where !update.inserted.contains(row) {
                    #expect(update.updated.contains(row) == (old[message.id] != message))
                }
            }
        }
    }
}
