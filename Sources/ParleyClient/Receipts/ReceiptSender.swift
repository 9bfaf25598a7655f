import ParleyDeviceStore
import ParleyProtocol

/// Tells the others what was received and read here.
struct ReceiptSender {
    let logs: ConversationLogs, signals: Signals, progress: ConnectionProgress, waiters: Waiters
    let configuration: ClientConfiguration, device: DeviceAddress, gateway: GatewayAccess, disk: StoreAccess
    let chatMessages: ChatMessages, conversationUpdates: ConversationUpdates, receiptSignal: WakeSignal

    /// Sends the receipts that are due, and waits for more.
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

    /// Waits until the gateway has taken all receipts, or there is no connection: what it knows to have arrived it
    /// notifies nobody of when the device is gone.
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

    /// Others' messages have arrived here; the last of them stands for all.
    func markDelivered(_ records: [MessageRecord], in conversation: ConversationID) {
        guard configuration.sendsDeliveredReceipts,
            let last = records.last(where: { $0.sender.user != device.user && $0.type != .known(.system) }),
            last.seq > (logs[conversation]?.deliveredSeq ?? 0)
        else { return }
        signals.mark(.delivered, conversation, ReceiptCoalescer.Mark(message: last.id, seq: last.seq))
        receiptSignal.signal()
    }

    /// The user has seen everything of a conversation up to a message.
    ///
    /// - Parameter passingUnopened: as of ``MessagingClient/markRead(_:upTo:passingUnopened:)``.
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

    /// A message as the gateway knows it. Of one that it has no more, the last one before it that it has; `nil` if
    /// there is none.
    private func mark(
        _ conversation: ConversationID, _ message: MessageID
    ) throws(ClientError) -> ReceiptCoalescer.Mark? {
        let epoch = logs[conversation]?.log.epoch
        let (found, present) = try disk.read { facts in
            let found = try facts.message(message, in: conversation)
            guard let found, let epoch, found.place.epoch != epoch else { return (found, found) }
            return (found, try facts.newest(in: conversation, epoch: epoch, upTo: found.chapterPlace))
        }
        guard found != nil else { throw .unknownMessage(message) }
        return (present?.place).map { ReceiptCoalescer.Mark(message: $0.id, seq: $0.seq) }
    }

    /// The farthest mark that an app has given, or that before the first message that still cannot be opened.
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
            return (last?.place).map { ReceiptCoalescer.Mark(message: $0.id, seq: $0.seq) }
        }
    }
}

extension MessagingClient {
    /// The user has seen everything of a conversation up to this message. The receipt is sent as soon as it can be,
    /// unless the user's profile says otherwise; without a connection, later.
    ///
    /// What could not be opened was not seen: it and what follows it stay unread until it can be opened and is marked;
    /// that marks what follows it, too. Its sender's client was asked to seal it anew
    /// (``ClientEvent/resendRequested(_:in:of:)``).
    ///
    /// - Parameter passingUnopened: the person gives up what cannot be opened.
    /// - Throws: ``ClientError/unknownMessage(_:)`` for one that is not in the log on this device.
    public func markRead(
        _ conversation: ConversationID, upTo message: MessageID, passingUnopened: Bool = false
    ) throws(ClientError) {
        try context.receipts.markRead(conversation, upTo: message, passingUnopened: passingUnopened)
    }
}
