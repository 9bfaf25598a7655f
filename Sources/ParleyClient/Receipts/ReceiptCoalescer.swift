import ParleyProtocol

/// Which receipts have yet to be sent: of each kind one for a conversation, the farthest, and one under way at a time.
///
/// Marks only move forward. What a connection that broke may not have carried is sent again on the next.
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

    /// Everything up to this message was received, or seen.
    mutating func mark(_ key: Key, _ mark: Mark) {
        var entry = progress[key, default: Progress()]
        let known = max(entry.confirmed, entry.wanted?.seq ?? 0, entry.underWay?.seq ?? 0)
        guard mark.seq > known else { return }
        entry.wanted = mark
        progress[key] = entry
    }

    /// The next receipt to be sent; from then on it is under way.
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

    /// The gateway answered: its watermark is at least there, or it will never take the receipt.
    mutating func acknowledge(_ key: Key) {
        guard let mark = progress[key]?.underWay else { return }
        progress[key]?.underWay = nil
        progress[key]?.notBefore = nil
        let confirmed = progress[key]?.confirmed ?? 0
        progress[key]?.confirmed = max(confirmed, mark.seq)
    }

    /// It has to be sent again, not before a time.
    mutating func postpone(_ key: Key, until time: ContinuousClock.Instant) {
        guard let mark = progress[key]?.underWay else { return }
        progress[key]?.underWay = nil
        progress[key]?.notBefore = time
        if (progress[key]?.wanted?.seq ?? 0) < mark.seq { progress[key]?.wanted = mark }
    }

    /// Whether one is under way or waits.
    var hasOpen: Bool {
        progress.contains { key, entry in
            entry.underWay != nil || entry.wanted.map { !isImplied(key, $0) } ?? false
        }
    }

    /// When one that waits can be sent.
    var nextDue: ContinuousClock.Instant? {
        progress.values.compactMap { $0.underWay == nil && $0.wanted != nil ? $0.notBefore : nil }.min()
    }

    /// The log of a conversation began anew: its old marks mean nothing.
    mutating func reset(_ conversation: ConversationID) {
        for kind in ReceiptKind.allCases { progress[Key(kind: kind, conversation: conversation)] = nil }
    }

    /// Whoever has read a message has received it.
    private func isImplied(_ key: Key, _ mark: Mark) -> Bool {
        guard key.kind == .delivered else { return false }
        return (progress[Key(kind: .read, conversation: key.conversation)]?.confirmed ?? 0) >= mark.seq
    }
}
