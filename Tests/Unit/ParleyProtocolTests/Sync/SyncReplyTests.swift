import ParleyProtocol
import TestSupport
import Testing

@Suite("What was missed, written by the gateway and read by a device", .seeded)
struct SyncReplyTests {
    @Test("a page is what was written")
    func pages() throws {
        var generator = Seeded(stream: 300)
        for _ in 0..<100 {
            let entries = try (0..<Int.random(in: 0...4, using: &generator)).map { _ in try generator.syncEntry() }
            let left: [ConversationID] = (0..<Int.random(in: 0...3, using: &generator)).map { _ in generator.uuid() }
            let isComplete = generator.chance(0.5)
            let cursor = generator.chance(0.5) ? generator.text(1...40) : nil
            let bytes = JSONWriter.bytes { writer in
                writer.object { object in
                    object.member("conversations", array: entries) { $1.write(to: &$0) }
                    object.member("left", array: left) { $0.value($1) }
                    object.member("complete", isComplete)
                    object.member("next_cursor", cursor)
                }
            }
            let read = try SyncReply(json: bytes)
            #expect(
                try read
                    == SyncReply(
                        .values(entries.map { try $0.received }), left: left, isComplete: isComplete,
                        nextCursor: cursor))
        }
    }

    @Test("an entry holds no record of another conversation, or of another epoch")
    func strayRecord() throws {
        var generator = Seeded(stream: 301)
        var entry = try generator.syncEntry()
        while entry.records.isEmpty { entry = try generator.syncEntry() }
        let (id, epoch) = (entry.conversation.id, entry.conversation.epoch)
        let record = try generator.record()
        for (otherID, otherEpoch) in [(generator.uuid(), epoch), (id, epoch + "x")] {
            var other = entry
            other.records.append(generator.record(in: otherID, otherEpoch, record))
            let bytes = JSONWriter.bytes { other.write(to: &$0) }
            #expect(throws: ReadingError.self) { try SyncedConversation(json: bytes) }
        }
        #expect(try SyncedConversation(json: JSONWriter.bytes { entry.write(to: &$0) }) == entry.received)
    }

    @Test("what the user's other devices did is read from their own events alone")
    func ownEvents() throws {
        var generator = Seeded(stream: 302)
        for _ in 0..<100 {
            let user = try generator.address().user
            let read = ConversationReading(
                conversation: generator.uuid(), message: generator.uuid(),
                seq: Int.random(in: 0...Int.max, using: &generator),
                unread: .counted(Int.random(in: 0...Int.max, using: &generator)), at: generator.time())
            let readBytes = JSONWriter.bytes { read.writeEvent(to: &$0) }
            #expect(try EventTable.read(readBytes, on: .user(user, .events)) as? ConversationReading == read)
            let settings = ConversationSettings(
                conversation: generator.uuid(), preferences: generator.preferences())
            let settingsBytes = JSONWriter.bytes { settings.writeEvent(to: &$0) }
            #expect(try EventTable.read(settingsBytes, on: .user(user, .events)) as? ConversationSettings == settings)
            for bytes in [readBytes, settingsBytes] {
                for topic in [Topic.conversation(read.conversation, .receipts), .user(user, .notifications)] {
                    #expect(throws: ReadingError.self) { try EventTable.read(bytes, on: topic) }
                }
            }
        }
    }
}

/// An element of a page: what the gateway has in hand when it writes one.
struct SyncEntry {
    let conversation: Conversation
    /// Whether the caller is told of the conversation itself.
    let isNew: Bool
    let isRecovered: Bool
    let watermarks: [UserID: Watermarks]
    let unreadCount: Int
    let preferences: ConversationPreferences
    var records: [MessageRecord]

    private func entry(_ records: ReadyMadeList<MessageRecord>) -> SyncedConversation {
        SyncedConversation(
            id: conversation.id, isRecovered: isRecovered, epoch: conversation.epoch,
            lastSeq: conversation.lastSeq ?? 0, records: records, watermarks: watermarks, unreadCount: unreadCount,
            preferences: preferences, conversation: isNew ? conversation : nil)
    }

    func write(to writer: inout JSONWriter) {
        var messages = JSONWriter()
        for record in records { record.write(to: &messages) }
        entry(.json(messages.finish())).write(to: &writer)
    }

    var received: SyncedConversation {
        get throws {
            entry(
                .values(
                    try records.map { record in
                        try MessageRecord(json: JSONWriter.bytes { record.write(to: &$0) })
                    }))
        }
    }
}

extension Seeded {
    mutating func preferences() -> ConversationPreferences {
        let mutings: [ConversationPreferences.Muting] = [.off, .forever, .until(time())]
        return ConversationPreferences(
            muting: mutings[Int.random(in: 0..<3, using: &self)], isArchived: chance(0.5), isMarkedUnread: chance(0.5))
    }

    fileprivate mutating func syncEntry() throws -> SyncEntry {
        let conversation = try conversation()
        var watermarks: [UserID: Watermarks] = [:]
        for _ in 0..<Int.random(in: 0...3, using: &self) {
            let read = Int.random(in: 0...1000, using: &self)
            watermarks[try address().user] = Watermarks(
                delivered: read + Int.random(in: 0...1000, using: &self), read: read)
        }
        let records = try (0..<Int.random(in: 0...3, using: &self)).map { _ in
            record(in: conversation.id, conversation.epoch, try record())
        }
        return SyncEntry(
            conversation: conversation, isNew: chance(0.5), isRecovered: chance(0.8), watermarks: watermarks,
            unreadCount: Int.random(in: 0...Int.max, using: &self), preferences: preferences(), records: records)
    }

    /// The same record as it would stand in another conversation.
    fileprivate func record(
        in conversation: ConversationID, _ epoch: String, _ record: MessageRecord
    ) -> MessageRecord {
        MessageRecord(
            id: record.id, conversation: conversation, epoch: epoch, seq: record.seq, kind: record.kind,
            target: record.target, sender: record.sender, type: record.type, suite: record.suite,
            content: record.content, nonce: record.nonce, recipientKeys: record.recipientKeys?.value,
            replyTo: record.replyTo, expiresAt: record.expiresAt, createdAt: record.createdAt,
            system: record.system?.value)
    }
}
