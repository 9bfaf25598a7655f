import ParleyDeviceStore
import ParleyProtocol

/// Sends the "delivered" and "read" receipts of this device.
struct ReceiptSender {
    let logs: ConversationLogs, signals: Signals, progress: ConnectionProgress, waiters: Waiters
    let configuration: ClientConfiguration, device: DeviceAddress, gateway: GatewayAccess, disk: StoreAccess
    let chatMessages: ChatMessages, conversationUpdates: ConversationUpdates, receiptSignal: WakeSignal

    nonisolated(nonsending) func run() async {
        var generator = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            guard progress.isConnected, !progress.needsList, let (key, mark) = signals.receipts.next(now: .now) else {
                let time = progress.isConnected ? signals.receipts.nextDue : nil
                await receiptSignal.wait(until: time)
                continue
            }
            let request = MarkReceipt(kind: key.kind, conversation: key.conversation, message: mark.message)
            do throws(ClientError) {
                _ = try await gateway.ask(request.request)
                signals.acknowledge(key)
                recordAcknowledged(key, mark)
            } catch {
                signals.fail(key, error, now: .now, using: &generator)
            }
            waiters.wake(.receipts)
        }
    }

    /// Waits until all receipts are acknowledged, or the connection is lost: the gateway sends no pushes of messages
    /// with receipts.
    nonisolated(nonsending) func finish(until deadline: ContinuousClock.Instant) async {
        try? await waiters.wait(for: .receipts, until: deadline) { () throws(ClientError) -> Void? in
            progress.isConnected && signals.receipts.hasOpen ? nil : ()
        }
    }

    private func recordAcknowledged(_ key: ReceiptCoalescer.Key, _ mark: ReceiptCoalescer.Mark) {
        guard logs[key.conversation] != nil else { return }
        logs.update(key.conversation) { entry in
            entry.deliveredSeq = max(entry.deliveredSeq, mark.seq)
            if key.kind == .read, let pending = entry.pendingRead, pending.seq <= mark.seq { entry.pendingRead = nil }
        }
        conversationUpdates.save(key.conversation)
    }

    /// Marks others' messages as delivered; the last one stands for all.
    func markDelivered(_ records: [MessageRecord], in conversation: ConversationID) {
        guard configuration.sendsDeliveredReceipts,
            let last = records.last(where: { $0.sender.user != device.user && $0.type != .known(.system) }),
            last.seq > (logs[conversation]?.deliveredSeq ?? 0)
        else { return }
        signals.mark(.delivered, conversation, ReceiptCoalescer.Mark(message: last.id, seq: last.seq))
        receiptSignal.signal()
    }

    /// The user has read a conversation up to a message.
    ///
    /// - Parameter passingUnopened: see ``MessagingClient/markRead(_:upTo:passingUnopened:)``.
    func markRead(
        _ conversation: ConversationID, upTo message: MessageID, passingUnopened: Bool
    ) throws(ClientError) {
        guard var mark = try mark(conversation, message) else { return }
        if !passingUnopened {
            guard let seen = try seen(conversation, upTo: mark) else { return }
            mark = seen
        }
        signals.mark(.read, conversation, mark)
        guard let entry = logs[conversation], mark.seq > entry.unread.readSeq else { return }
        logs.update(conversation) { $0.pendingRead = mark }
        conversationUpdates.markRead(conversation, upTo: mark.seq)
        receiptSignal.signal()
    }

    /// The mark of a message. For a message of an earlier epoch, that of the last earlier message in the present one,
    /// if any.
    private func mark(
        _ conversation: ConversationID, _ message: MessageID
    ) throws(ClientError) -> ReceiptCoalescer.Mark? {
        let epoch = logs[conversation]?.log.epoch
        let (found, present) = try disk.read { facts in
            let found = try facts.message(message, in: conversation)
            guard let found, let epoch, found.position.epoch != epoch else { return (found, found) }
            return (found, try facts.newest(in: conversation, epoch: epoch, upTo: found.chapterPosition))
        }
        guard found != nil else { throw .unknownMessage(message, in: conversation) }
        return (present?.position).map { ReceiptCoalescer.Mark(message: $0.id, seq: $0.seq) }
    }

    /// The farthest mark that the app has given, or the one before the first message that still cannot be opened.
    private func seen(
        _ id: ConversationID, upTo mark: ReceiptCoalescer.Mark
    ) throws(ClientError) -> ReceiptCoalescer.Mark? {
        guard var entry = logs[id], let epoch = entry.log.epoch else { return mark }
        entry.shownSeq = max(entry.shownSeq, mark.seq)
        defer { logs.replace(entry) }
        let device = device
        return try disk.read { facts in
            let held = try entry.unopened.first(upTo: entry.shownSeq) { seq in
                guard seq > entry.unread.readSeq else { return false }
                guard let kept = KeptMessage(try facts.message(at: seq, of: epoch, in: id)) else { return false }
                return chatMessages.opened(kept).isUnreadable(on: device) && kept.counts(for: device.user)
            }
            let end = held.map { $0 - 1 } ?? entry.shownSeq
            guard end != mark.seq else { return mark }
            let last = try facts.messages(in: id, epoch: epoch, before: end + 1, limit: 1).last
            return (last?.position).map { ReceiptCoalescer.Mark(message: $0.id, seq: $0.seq) }
        }
    }
}

extension MessagingClient {
    /// The user has read a conversation up to this message. The receipt is sent as soon as possible, unless the user's
    /// profile disables it.
    ///
    /// Messages that could not be opened, and later ones, stay unread until they can be opened and are marked. The
    /// sender's device was asked to seal them again (``ClientEvent/resendRequested(_:in:of:)``).
    ///
    /// - Parameter passingUnopened: whether to mark messages that cannot be opened, too.
    /// - Throws: ``ClientError/unknownMessage(_:in:)`` if it is not in the conversation's log on this device.
    public func markRead(
        _ conversation: ConversationID, upTo message: MessageID, passingUnopened: Bool = false
    ) throws(ClientError) {
        try context.receipts.markRead(conversation, upTo: message, passingUnopened: passingUnopened)
    }
}
