import ParleyProtocol

/// The receipts to send: the farthest of each kind and conversation, one in flight at a time. Marks only move forward;
/// after a broken connection an unacknowledged receipt is sent again.
struct ReceiptCoalescer {
    struct Key: Hashable, Sendable {
        var kind: ReceiptKind
        var conversation: ConversationID
    }

    struct Mark: Hashable, Sendable {
        var message: MessageID
        var seq: Int
    }

    private struct Progress {
        var confirmed = 0
        var wanted: Mark?
        var underWay: Mark?
        var notBefore: ContinuousClock.Instant?
    }

    private var progress: [Key: Progress] = [:]

    /// Everything up to this message was received, or read.
    mutating func mark(_ key: Key, _ mark: Mark) {
        var entry = progress[key, default: Progress()]
        let known = max(entry.confirmed, entry.wanted?.seq ?? 0, entry.underWay?.seq ?? 0)
        guard mark.seq > known else { return }
        entry.wanted = mark
        progress[key] = entry
    }

    /// The next receipt, which is then in flight.
    mutating func next(now: ContinuousClock.Instant) -> (key: Key, mark: Mark)? {
        for (key, entry) in progress {
            guard entry.underWay == nil, let mark = entry.wanted else { continue }
            if let time = entry.notBefore, time > now { continue }
            guard !isImplied(key, mark) else {
                progress[key]?.wanted = nil
                continue
            }
            progress[key]?.wanted = nil
            progress[key]?.underWay = mark
            return (key, mark)
        }
        return nil
    }

    /// The gateway has taken the receipt, or never will.
    mutating func acknowledge(_ key: Key) {
        guard let mark = progress[key]?.underWay else { return }
        progress[key]?.underWay = nil
        progress[key]?.notBefore = nil
        let confirmed = progress[key]?.confirmed ?? 0
        progress[key]?.confirmed = max(confirmed, mark.seq)
    }

    /// The receipt has to be sent again, not before a time.
    mutating func postpone(_ key: Key, until time: ContinuousClock.Instant) {
        guard let mark = progress[key]?.underWay else { return }
        progress[key]?.underWay = nil
        progress[key]?.notBefore = time
        if (progress[key]?.wanted?.seq ?? 0) < mark.seq { progress[key]?.wanted = mark }
    }

    var hasOpen: Bool {
        progress.contains { key, entry in
            entry.underWay != nil || entry.wanted.map { !isImplied(key, $0) } ?? false
        }
    }

    var nextDue: ContinuousClock.Instant? {
        progress.values.compactMap { $0.underWay == nil && $0.wanted != nil ? $0.notBefore : nil }.min()
    }

    /// A conversation has a new epoch: its old marks are void.
    mutating func reset(_ conversation: ConversationID) {
        for kind in ReceiptKind.allCases { progress[Key(kind: kind, conversation: conversation)] = nil }
    }

    /// A "read" receipt implies "delivered".
    private func isImplied(_ key: Key, _ mark: Mark) -> Bool {
        guard key.kind == .delivered else { return false }
        return (progress[Key(kind: .read, conversation: key.conversation)]?.confirmed ?? 0) >= mark.seq
    }
}
