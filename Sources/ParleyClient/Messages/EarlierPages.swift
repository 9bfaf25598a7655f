import ParleyDeviceStore
import ParleyProtocol

/// Fetches the records before the held range of a conversation, and joins them to it.
struct EarlierPages {
    let logs: ConversationLogs, progress: ConnectionProgress, device: DeviceAddress, gateway: GatewayAccess
    let disk: StoreAccess, delivery: RecordDelivery, receiptReader: ReceiptReader, recordKeeper: RecordKeeper
    let resending: ResendExchange

    /// Fetches earlier records until there are `count` before `place`, or the start is reached.
    nonisolated(nonsending) func extendDown(
        _ id: ConversationID, wanting count: Int, before position: ChapterPosition, _ contents: PageContents
    ) async throws(ClientError) {
        while let entry = logs[id], let held = entry.log.held, let epoch = entry.log.epoch, held.lowerBound > 1,
            entry.start == .unknown, progress.isConnected, entry.isMember
        {
            // Between an earlier epoch and the held range no record may be missing.
            let count = max(count, position.chapter < entry.chapter ? 1 : 0)
            let found = try disk.read {
                try $0.count(in: id, epoch: epoch, from: held.lowerBound, before: position, limit: count, contents)
            }
            guard found < count else { return }
            let request = GetHistory(
                conversation: id, limit: Limits.pageItems, position: .before(.seq(held.lowerBound)))
            let history: HistoryReply
            do throws(ClientError) {
                history = try await gateway.ask(request)
            } catch {
                // The stored messages are shown, without reaching the start.
                guard case .unanswered = error else { throw error }
                return
            }
            guard logs[id]?.log.held?.lowerBound == held.lowerBound else { continue }
            guard try await join(history, to: id) else { return }
        }
    }

    private nonisolated(nonsending) func join(_ history: HistoryReply, to id: ConversationID)
        async throws(ClientError) -> Bool
    {
        let records = history.messages.filter { $0.conversation == id && $0.epoch == history.summary.epoch }
        let opened = Dictionary(zip(records.map(\.seq), await delivery.opened(records))) { $1 }
        guard var entry = logs[id] else { return false }
        let older = entry.log.mergeOlder(ConversationLog.Page(history, of: id))
        if history.summary.foundOldest, older.first?.seq == history.messages.first?.seq { entry.start = .reached }
        var kept = older.compactMap { opened[$0.seq] }
        entry.unread.prepend(kept.count { $0.record.seq > entry.unread.readSeq && $0.counts(for: device.user) })
        let outcome: RecordKeeper.Outcome
        do throws(DeviceStoreError) {
            outcome = try recordKeeper.save(&kept, in: &entry)
        } catch {
            throw .storage(error)
        }
        logs.replace(entry)
        resending.start(outcome.resends)
        logs.unopened.record(kept)
        recordKeeper.finishSending(kept, outcome.keeping)
        receiptReader.handle(history.messages, of: id)
        return !older.isEmpty
    }
}
