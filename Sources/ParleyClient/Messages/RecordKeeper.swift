import ParleyDeviceStore
import ParleyProtocol

/// Stores records of a log, with everything that follows from them in the same transaction.
struct RecordKeeper {
    let outbox: Outbox, device: DeviceAddress, store: DeviceStore
    let outboxEffects: OutboxEffects, resending: ResendExchange

    /// The stored records, and the resends to start after the transaction.
    struct Outcome {
        let keeping: Keeping
        let resends: [Resend]
    }

    /// Stores opened records, with the unread count, the unopened messages, and the resends that they cause.
    ///
    /// - Parameters:
    ///   - kept: updated to their stored form.
    ///   - entry: their conversation, whose log has them already.
    func save(
        _ kept: inout [KeptMessage], in entry: inout FollowedConversation
    ) throws(DeviceStoreError) -> Outcome {
        let device = device
        return try store.write { transaction in
            let keeping = try transaction.save(&kept, of: device, chapter: entry.chapter)
            try entry.recount(own: device.user, in: transaction.facts)
            entry.recordUnopened(kept, on: device)
            try transaction.save(entry.kept(own: device.user))
            let resends = try resending.resends(because: kept, in: entry, transaction)
            return Outcome(keeping: keeping, resends: resends)
        }
    }

    /// Reports this device's own messages among them as sent.
    func finishSending(_ kept: [KeptMessage], _ keeping: Keeping) {
        for message in kept where keeping.finished.contains(message.record.id) {
            outboxEffects.carryOut(outbox.recordCommitted(message.record))
        }
    }
}
