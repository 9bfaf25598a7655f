import Platform
import ParleyDeviceStore
import ParleyProtocol

// Who has received and read what.

extension MessagingClient {
    /// The user has seen everything of a conversation up to this message. The others learn of it as soon as they can,
    /// unless the user's profile says otherwise; without a connection, later.
    ///
    /// What could not be opened was not seen: it and what follows it stay unread until it can be opened and is marked; that
    /// marks what follows it, too. Its sender's client was asked to seal it anew (``ClientEvent/resendRequested(_:in:of:)``).
    ///
    /// - Parameter passingUnopened: the person gives up what cannot be opened.
    /// - Throws: ``ClientError/unknownMessage(_:)`` for one that is not in the log on this device.
    public func markRead(
        _ conversation: ConversationID, upTo message: MessageID, passingUnopened: Bool = false
    ) throws(ClientError) {
        guard var mark = try mark(conversation, message) else { return }
        if !passingUnopened {
            guard let seen = try seen(conversation, upTo: mark) else { return }
            mark = seen
        }
        receipts.mark(ReceiptCoalescer.Key(kind: .read, conversation: conversation), mark)
        guard let entry = known[conversation], mark.seq > entry.unread.readSeq else { return }
        known[conversation]?.pendingRead = mark
        wasRead(conversation, upTo: mark.seq)
        receiptBell.ring()
    }

    /// A message as the gateway knows it. Of one that it has no more, the last one before it that it has; `nil` if there is
    /// none.
    private func mark(
        _ conversation: ConversationID, _ message: MessageID
    ) throws(ClientError) -> ReceiptCoalescer.Mark? {
        let epoch = known[conversation]?.log.epoch
        let (found, present) = try read { facts in
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
        guard var entry = known[id], let epoch = entry.log.epoch else { return mark }
        entry.shownSeq = max(entry.shownSeq, mark.seq)
        defer {
            known[id]?.shownSeq = entry.shownSeq
            known[id]?.unopened = entry.unopened
        }
        let device = device
        return try read { facts in
            let held = try entry.unopened.first(upTo: entry.shownSeq) { seq in
                guard seq > entry.unread.readSeq else { return false }
                let found = try facts.newest(in: id, epoch: epoch, upTo: seq)
                guard let kept = KeptMessage(found), kept.record.seq == seq else { return false }
                return opened(kept).isUnreadable(on: device) && kept.counts(for: device.user)
            }
            let end = held.map { $0 - 1 } ?? entry.shownSeq
            guard end != mark.seq else { return mark }
            let last = try facts.newest(in: id, epoch: epoch, upTo: end)
            return (last?.place).map { ReceiptCoalescer.Mark(message: $0.id, seq: $0.seq) }
        }
    }

    /// Others' messages have arrived here; the last of them stands for all.
    func markDelivered(_ records: [ReceivedRecord], in conversation: ConversationID) {
        guard configuration.sendsDeliveredReceipts,
            let last = records.last(where: { $0.sender.user != device.user && $0.type != .known(.system) }),
            last.seq > (known[conversation]?.deliveredSeq ?? 0)
        else { return }
        receipts.mark(
            ReceiptCoalescer.Key(kind: .delivered, conversation: conversation),
            ReceiptCoalescer.Mark(message: last.id, seq: last.seq))
        receiptBell.ring()
    }

    func receiptLoop() async {
        while !Task.isCancelled {
            guard progress.isConnected, !progress.needsList, let (key, mark) = receipts.next(now: .now) else {
                await receiptBell.wait(until: progress.isConnected ? receipts.nextDue : nil)
                continue
            }
            let request = MarkReceipt(kind: key.kind, conversation: key.conversation, message: mark.message)
            do throws(ClientError) {
                _ = try await ask { (gateway) async throws(RequestError) in try await gateway.mark(request) }
                receipts.done(key)
                wasTaken(key, mark)
            } catch {
                failed(key, error)
            }
        }
    }

    private func failed(_ key: ReceiptCoalescer.Key, _ error: ClientError) {
        if case .refused(let rejection) = error, !rejection.code.passes {
            receipts.done(key)
        } else {
            receipts.failed(key, until: pause(after: error, &receiptBackoff))
        }
    }

    private func wasTaken(_ key: ReceiptCoalescer.Key, _ mark: ReceiptCoalescer.Mark) {
        receiptBackoff.reset()
        guard var entry = known[key.conversation] else { return }
        switch key.kind {
        case .delivered: entry.deliveredSeq = max(entry.deliveredSeq, mark.seq)
        case .read:
            entry.deliveredSeq = max(entry.deliveredSeq, mark.seq)
            if let pending = entry.pendingRead, pending.seq <= mark.seq { entry.pendingRead = nil }
        }
        known[key.conversation] = entry
        keep(key.conversation)
    }

    // MARK: What others say

    /// A member's watermark moved: of the user's own it says what another of his devices has seen.
    func moved(_ watermark: Watermark) {
        let id = watermark.conversation
        guard let old = known[id], ConversationLog<ReceivedRecord>.seqs.contains(watermark.seq) else { return }
        hub.emit(.receipt(watermark))
        guard watermark.user != device.user else {
            known[id]?.userDeliveredSeq = max(old.userDeliveredSeq, watermark.seq)
            if watermark.kind == .read, watermark.seq > old.unread.readSeq { wasRead(id, upTo: watermark.seq) }
            return
        }
        known[id]?.reached.moved(watermark)
        tellStatuses(of: id, since: old)
    }

    /// History says how far the user's own messages have come.
    func takeStatuses(_ records: [ReceivedRecord], of id: ConversationID) {
        guard let old = known[id] else { return }
        for record in records where record.sender.user == device.user {
            guard let status = record.status?.value, ConversationLog<ReceivedRecord>.seqs.contains(record.seq) else {
                continue
            }
            known[id]?.reached.said(status, at: record.seq)
        }
        tellStatuses(of: id, since: old)
    }

    func tellStatuses(of id: ConversationID, since old: FollowedConversation) {
        guard let new = known[id], let epoch = new.log.epoch else { return }
        let others = new.members.filter { $0 != device.user }
        let (before, after) = (old.reached.least(of: others), new.reached.least(of: others))
        guard before != after else { return }
        keep(id)
        tellStatuses(.delivered, of: id, epoch, from: max(before.delivered, after.read), to: after.delivered)
        tellStatuses(.read, of: id, epoch, from: before.read, to: after.read)
    }

    /// - Parameters:
    ///   - from: the seq after which it is news, of the last so many messages.
    private func tellStatuses(
        _ status: ChatMessage.Status, of id: ConversationID, _ epoch: String, from: Int, to: Int
    ) {
        guard to > from else { return }
        let found = try? read { snapshot in
            try snapshot.messages(in: id, epoch: epoch, .before(to + 1), limit: min(to - from, Limits.pageItems))
        }
        for case .whole(let stored) in found ?? [] where stored.place.seq > from {
            guard let kept = KeptMessage(stored), kept.record.sender.user == device.user else {
                continue
            }
            hub.emit(.status(kept.record.id, in: id, status))
        }
    }
}

extension ErrorCode {
    /// Whether the same may be accepted later.
    fileprivate var passes: Bool {
        switch self {
        case .rateLimited, .unavailable, .internal, .unauthenticated: true
        case .badRequest, .forbidden, .notFound, .conflict, .tooLarge, .blocked, .requestLimit, .groupFull,
            .alreadyInGroup, .inviteInvalid, .weekClosed, .staleDevices:
            false
        }
    }
}
