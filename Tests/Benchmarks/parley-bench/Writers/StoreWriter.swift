import GatewaySite
import ParleyBridge
import ParleyProtocol
import ParleyRules
import ParleyStore
import Platform

/// Writes messages as a gateway's writer does, by the store's own code and without a broker: for each batch it gathers
/// the facts and locks the conversations, decides what follows from them, and writes.
struct StoreWriter {
    let store: Store
    /// Below 4096; a message's id has it.
    let number: Int
    /// Who sends, and into which conversation, by turns.
    let senders: [(conversation: ConversationID, device: DeviceAddress)]

    struct Outcome {
        var messages = 0
        var batches = 0
        /// Transactions that were tried again because of a neighbour.
        var conflicts = 0
        /// CPU time of its thread, in nanoseconds.
        var processor: Int64 = 0
    }

    private static let content = (0..<RequestTemplate.ciphertextBytes).map { _ in UInt8.random(in: 0 ... .max) }
    private static let leaseInterval: Int64 = 1_000_000_000

    /// - Parameter batch: how many messages a transaction has.
    func write(_ count: Int, batch: Int, stop: StopFlag) throws -> Outcome {
        var outcome = Outcome()
        let begun = ThreadTime.now
        var leaseDueAt: Int64 = 0
        while outcome.messages < count {
            if stop.isRaised { throw LoadError.interrupted }
            if MonotonicTime.now >= leaseDueAt {
                leaseDueAt = MonotonicTime.now + StoreWriter.leaseInterval
                try live()
            }
            let numbers = outcome.messages..<min(outcome.messages + batch, count)
            do throws(StoreError) {
                try store.write(isolation: .byConversation) { try append(numbers, $0) }
            } catch {
                guard case .conflict = error else { throw error }
                outcome.conflicts += 1
                continue
            }
            outcome.messages = numbers.upperBound
            outcome.batches += 1
        }
        outcome.processor = ThreadTime.now - begun
        return outcome
    }

    /// Has the other writers know that there is this one, so that all ring the doorbell.
    private func live() throws {
        guard let cells = store.cells else { return }
        try cells.extendLease()
        _ = try store.read { try cells.states(in: $0) }
    }

    private func append(_ numbers: Range<Int>, _ transaction: WriteTransaction) throws {
        let now = Timestamp.systemNow
        let messages = numbers.map { count in
            let id = MessageNumber(sender: number, run: 0, count: count).id(milliseconds: now.milliseconds)
            return (id: MessageID(id), from: senders[count % senders.count])
        }
        var keys = FactKeys()
        keys.devices = Set(messages.map(\.from.device))
        keys.conversations = Set(messages.map(\.from.conversation))
        keys.sealedFor = keys.conversations
        keys.records = Set(messages.map(\.id))
        let facts = try transaction.facts.gather(keys)
        var conversations = facts.conversations
        var position = try transaction.facts.outbox.lastPosition()
        var writes = PendingWrites()
        for (id, from) in messages {
            guard var conversation = conversations[from.conversation], facts.records[id] == nil else {
                throw LoadError.rejected("message \(id)")
            }
            let record = MessageRecord(
                id: id, conversation: from.conversation, epoch: conversation.facts.epoch,
                seq: try conversation.facts.nextSeq(), kind: .message, target: nil, sender: from.device, type: .text,
                suite: .x25519AESGCM, content: StoreWriter.content, nonce: Array(repeating: 1, count: 12),
                recipientKeys: nil, replyTo: nil, expiresAt: nil,
                createdAt: conversation.facts.nextCreation(now))
            position = try position.next()
            writes.append(
                record, to: conversation.key, position: position, digest: Array(repeating: 1, count: 16),
                isWithheld: false)
            conversation.facts.append(record, isWithheld: false)
            conversations[from.conversation] = conversation
            writes.setLog(conversation)
        }
        _ = try transaction.apply(writes)
    }
}
