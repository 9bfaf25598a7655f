import ParleyProtocol

/// This device's unsent changes, by the message that they change.
struct PendingChanges {
    private var drafts: [MessageID: [(id: MessageID, draft: Draft)]] = [:]
    private var targets: [MessageID: MessageID] = [:]

    mutating func add(_ id: MessageID, _ draft: Draft) {
        guard let target = draft.change?.target, targets.updateValue(target, forKey: id) == nil else { return }
        drafts[target, default: []].append((id, draft))
    }

    func draft(_ id: MessageID) -> Draft? {
        targets[id].flatMap { drafts[$0]?.first { $0.id == id }?.draft }
    }

    /// The number that the client wrote by itself.
    var resending: [Resending: Int] {
        drafts.values.joined().reduce(into: [:]) { counts, entry in
            if let step = entry.draft.resending { counts[step, default: 0] += 1 }
        }
    }

    /// Removes a change that is in the log, or withdrawn.
    ///
    /// - Returns: its message.
    @discardableResult
    mutating func remove(_ id: MessageID) -> MessageID? {
        guard let target = targets.removeValue(forKey: id) else { return nil }
        drafts[target]?.removeAll { $0.id == id }
        if drafts[target]?.isEmpty == true { drafts[target] = nil }
        return target
    }

    /// A message's changes, with the unsent ones in order.
    func applied(to changes: MessageChanges, of message: MessageID, by user: UserID) -> MessageChanges {
        var changes = changes
        for (_, draft) in drafts[message] ?? [] { changes.apply(draft, by: user) }
        return changes
    }
}
