import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("The codec of the hot kinds, held to Foundation's", .seeded)
struct HotCodecTests {
    static func send(_ bytes: [UInt8]) throws -> SendMessage {
        try SendMessage(members: try JSONObject(parsing: bytes))
    }

    static func history(_ bytes: [UInt8]) throws -> GetHistory {
        try GetHistory(members: try JSONObject(parsing: bytes))
    }

    @Test("messages/send: what Foundation encodes, however spelled, is read as the same message")
    func readsSend() throws {
        var generator = Seeded(stream: 30)
        for _ in 0..<1_500 {
            let message = try generator.sendMessage()
            let bytes = try generator.respelled(try JSONEncoder().encode(SendView(message, requestID: "r-1")))
            #expect(try Self.send(bytes) == message, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test("messages/send: what a device writes Foundation reads, and so do we")
    func writesSend() throws {
        var generator = Seeded(stream: 31)
        for _ in 0..<1_500 {
            let message = try generator.sendMessage()
            let requestID = generator.chance(0.5) ? generator.text(0...64) : nil
            let bytes = message.payload(requestID: requestID)
            #expect(
                try JSONDecoder().decode(SendView.self, from: Data(bytes)) == SendView(message, requestID: requestID))
            #expect(try Self.send(bytes) == message)
        }
    }

    @Test("history/get: what Foundation encodes, however spelled, is read as the same request")
    func readsHistory() throws {
        var generator = Seeded(stream: 32)
        for _ in 0..<1_500 {
            let history = try generator.history()
            let view = HistoryView(history, namesLimit: history.limit != 50 || generator.chance(0.5))
            let bytes = try generator.respelled(try JSONEncoder().encode(view))
            #expect(try Self.history(bytes) == history, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test("the reply to messages/send is read by Foundation, and by a device, as what was written")
    func writesReply() throws {
        struct View: Decodable {
            struct Content: Decodable {
                let id: MessageID
                let epoch: String
                let seq: Int
                let created_at: Timestamp
                let status: String
            }
            let ok: Bool
            let data: Content
        }
        var generator = Seeded(stream: 33)
        for _ in 0..<500 {
            let sent = SentMessage(
                id: generator.uuid(), epoch: generator.text(0...8), seq: Int.random(in: 1...Int.max, using: &generator),
                createdAt: generator.time())
            let bytes = JSONWriter.bytes { Reply.writeAccepted(nil, to: &$0) { sent.write(to: &$0) } }
            let view = try JSONDecoder().decode(View.self, from: Data(bytes))
            #expect(view.ok && view.data.status == "sent")
            #expect(
                SentMessage(
                    id: view.data.id, epoch: view.data.epoch, seq: view.data.seq, createdAt: view.data.created_at)
                    == sent)
            #expect(try SentMessage(json: sent.json) == sent)
        }
    }

    @Test("message.new and its kin are read by Foundation as the record that was written")
    func writesEvent() throws {
        let names: [RecordKind: String] = [
            .message: "message.new", .edit: "message.edited", .delete: "message.deleted",
            .reaction: "message.reaction",
        ]
        var generator = Seeded(stream: 34)
        for _ in 0..<1_500 {
            let record = try generator.record()
            let bytes = JSONWriter.bytes { record.writeEvent(to: &$0) }
            let view = try JSONDecoder().decode(EventView<RecordView>.self, from: Data(bytes))
            #expect(view.type == record.kind.value.flatMap { names[$0] })
            #expect(try view.data == RecordView(record))
        }
    }

    @Test("every field of message.new is there, those that are null too")
    func fieldsOfEvent() throws {
        let expected: Set = [
            "id", "conversation_id", "epoch", "seq", "kind", "target_id", "sender_id", "sender_device_id",
            "message_type", "suite", "encrypted_content", "nonce", "recipient_keys", "reply_to", "expires_at",
            "created_at",
        ]
        var generator = Seeded(stream: 35)
        for _ in 0..<50 {
            let record = try generator.record()
            let bytes = JSONWriter.bytes { record.writeEvent(to: &$0) }
            let event = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
            #expect(Set(event.keys) == ["type", "data"])
            #expect(Set(try #require(event["data"] as? [String: Any]).keys) == expected)
            let own = JSONWriter.bytes { record.write(to: &$0, status: .read) }
            let fields = try #require(try JSONSerialization.jsonObject(with: Data(own)) as? [String: Any])
            #expect(Set(fields.keys) == expected.union(["status"]))
            #expect(fields["status"] as? String == "read")
        }
    }

    @Test("a page of history is read by Foundation as the records that were written")
    func writesPage() throws {
        var generator = Seeded(stream: 36)
        for _ in 0..<150 {
            let (summary, records) = try generator.page()
            let statuses = try records.map { _ in
                generator.chance(0.5) ? try generator.element(MessageStatus.allCases) : nil
            }
            var messages: [UInt8] = []
            for (record, status) in zip(records, statuses) {
                if !messages.isEmpty { messages.append(UInt8(ascii: ",")) }
                messages += JSONWriter.bytes { record.write(to: &$0, status: status) }
            }
            let bytes = JSONWriter.bytes { HistoryReply(.json(messages), summary: summary).write(to: &$0) }
            let page = try JSONDecoder().decode(PageView.self, from: Data(bytes))
            #expect(try page.messages == zip(records, statuses).map { try RecordView($0, status: $1) })
            #expect(page.has_more == summary.hasMore && page.next_cursor == summary.nextCursor)
            #expect(page.epoch.utf8.elementsEqual(summary.epoch.utf8) && page.last_seq == summary.lastSeq)
            #expect(page.found_oldest == summary.foundOldest && page.found_newest == summary.foundNewest)
        }
    }

    @Test("a record says of an accepted message what the message said")
    func recordOfMessage() throws {
        var generator = Seeded(stream: 37)
        for _ in 0..<200 {
            let message = try generator.sendMessage()
            let sender = try generator.address()
            let now = Timestamp(milliseconds: 1_768_469_400_000)
            let record = MessageRecord(message, sender: sender, epoch: "e", seq: 9, createdAt: now)
            let view = try RecordView(record)
            let sent = SendView(message)
            #expect(view.id == sent.id && view.conversation_id == sent.conversation_id && view.kind == "message")
            #expect(view.message_type == sent.message_type && view.suite == sent.suite && view.nonce == sent.nonce)
            #expect(view.encrypted_content == sent.encrypted_content && view.recipient_keys == sent.recipient_keys)
            #expect(view.reply_to == sent.reply_to && view.target_id == nil)
            #expect(record.sender == sender && record.createdAt == now && record.seq == 9 && record.epoch == "e")
            #expect(record.expiresAt?.milliseconds == message.expiresIn.map { now.milliseconds + Int64($0) * 1000 })
        }
    }

    @Test("a message is the same as another if all but how the reply is wanted is the same")
    func identity() throws {
        var generator = Seeded(stream: 38)
        let sender = try generator.address()
        var known: [[UInt8]: SendMessage] = [:]
        for _ in 0..<300 {
            let message = try generator.sendMessage()
            #expect(known.updateValue(message, forKey: message.identityPreimage(sender: sender)) == nil)
            let again = try Self.send(
                try generator.respelled(try JSONEncoder().encode(SendView(message, namesReply: false))))
            #expect(again.identityPreimage(sender: sender) == message.identityPreimage(sender: sender))
            #expect(
                message.identityPreimage(sender: try generator.address()) != message.identityPreimage(sender: sender))
        }
    }
}

extension Seeded {
    mutating func history() throws -> GetHistory {
        let point: RecordPoint = chance(0.5) ? .id(uuid()) : .seq(Int.random(in: 0...Int.max, using: &self))
        let position = try element([HistoryPosition.newest, .before(point), .after(point), .around(point)])
        return GetHistory(
            conversation: uuid(), limit: chance(0.3) ? 50 : Int.random(in: 1...Limits.pageItems, using: &self),
            position: position)
    }

    mutating func page() throws -> (HistorySummary, [MessageRecord]) {
        let summary = HistorySummary(
            hasMore: chance(0.5), nextCursor: chance(0.5) ? 7 : nil, epoch: text(0...8), lastSeq: number(0...Int.max),
            foundOldest: chance(0.5), foundNewest: chance(0.5))
        return (summary, try (0..<number(0...12)).map { _ in try record() })
    }
}
