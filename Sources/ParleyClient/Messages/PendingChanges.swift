import ParleyProtocol

/// The changes of this device that wait to be sent, by the message that they are about: it is shown with them.
struct PendingChanges {
    private var drafts: [MessageID: [(id: MessageID, draft: Draft)]] = [:]
    private var targets: [MessageID: MessageID] = [:]

    /// Nothing for a message.
    mutating func add(_ id: MessageID, _ draft: Draft) {
        guard let target = draft.change?.target, targets.updateValue(target, forKey: id) == nil else { return }
        drafts[target, default: []].append((id, draft))
    }

    func draft(_ id: MessageID) -> Draft? {
        targets[id].flatMap { drafts[$0]?.first { $0.id == id }?.draft }
    }

    /// How many of these the client has written by itself.
    var resending: [Resending: Int] {
        drafts.values.joined().reduce(into: [:]) { counts, entry in
            if let step = entry.draft.resending { counts[step, default: 0] += 1 }
        }
    }

    /// It is in the log, or is not sent any more.
    ///
    /// - Returns: the message that it was about.
    @discardableResult
    mutating func remove(_ id: MessageID) -> MessageID? {
        guard let target = targets.removeValue(forKey: id) else { return nil }
        drafts[target]?.removeAll { $0.id == id }
        if drafts[target]?.isEmpty == true { drafts[target] = nil }
        return target
    }

    /// What has become of a message, these with it, in the order in which they were written.
    func applied(to changes: MessageChanges, of message: MessageID, by user: UserID) -> MessageChanges {
        var changes = changes
        for (_, draft) in drafts[message] ?? [] { changes.apply(draft, by: user) }
        return changes
    }
}
