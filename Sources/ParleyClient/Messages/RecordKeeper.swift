import ParleyDeviceStore
import ParleyProtocol

/// Saves records of a log in their places, and in the same transaction all that follows from them.
struct RecordKeeper {
    let outbox: Outbox, device: DeviceAddress, store: DeviceStore
    let outboxEffects: OutboxEffects, resending: ResendExchange

    /// What was kept, and what follows from it once it is.
    struct Outcome {
        let keeping: Keeping
        let resends: [Resend]
    }

    /// Saves opened records: with what is unread then, what could not be opened, and what is asked for or answered
    /// because of that.
    ///
    /// - Parameters:
    ///   - kept: as they are kept afterwards.
    ///   - entry: their conversation, of whose log they are by now.
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

    /// This device's own messages among them are sent.
    func finishSending(_ kept: [KeptMessage], _ keeping: Keeping) {
        for message in kept where keeping.finished.contains(message.record.id) {
            outboxEffects.carryOut(outbox.recordCommitted(message.record))
        }
    }
}
