import ParleyProtocol
import ParleyRules
import ParleyStore

/// Changes of gathered facts by the requests of a batch.
struct WrittenFacts {
    private struct Reader: Hashable {
        let conversation: ConversationID
        let user: UserID
    }

    /// Records that were appended.
    private(set) var locations: [MessageID: RecordLocation] = [:]
    /// Messages that were changed.
    private var changed: Set<MessageID> = []
    private var readers: [Reader: ReceiptRule.Advance] = [:]
    private var devices: [FactKeys.Receipt: Watermarks] = [:]

    mutating func append(_ record: MessageRecord, digest: [UInt8], isWithheld: Bool) {
        let existing = SendMessageRule.ExistingRecord(
            conversation: record.conversation, seq: record.seq, createdAt: record.createdAt, digest: digest)
        locations[record.id] = RecordLocation(record: existing, sender: record.sender.user, isWithheld: isWithheld)
        if let target = record.target { changed.insert(target) }
    }

    mutating func advance(_ advance: ReceiptRule.Advance, _ receipt: FactKeys.Receipt) {
        readers[Reader(conversation: receipt.conversation, user: receipt.reader.user)] = advance
        devices[receipt] = advance.device
    }

    /// Whether the gathered facts of a message are stale.
    func touches(_ message: MessageID) -> Bool { changed.contains(message) || locations[message] != nil }

    /// A reader's receipts with these changes, from the gathered ones.
    func receipts(since state: ReceiptState, _ receipt: FactKeys.Receipt) -> ReceiptState {
        let advance = readers[Reader(conversation: receipt.conversation, user: receipt.reader.user)]
        return ReceiptState(
            user: advance?.user ?? state.user, device: devices[receipt] ?? state.device,
            disclosed: advance?.disclosed ?? state.disclosed)
    }
}
