import ParleyProtocol

/// A list of messages, and how it differs from the one before: what a list view needs to change its rows.
///
/// The rows of `removed` go first, then those of `inserted` come; a message that changes its row is in both. Then the
/// rows of `updated` are drawn anew.
public struct TimelineUpdate: Sendable {
    /// All rows after the update, the oldest first. Unsent messages come last.
    public let messages: [ChatMessage]
    /// Rows of the list before it, descending.
    public let removed: [Int]
    /// Rows of ``messages``, ascending.
    public let inserted: [Int]
    /// Rows of ``messages`` whose message was there before and has another content, status or reaction, ascending.
    public let updated: [Int]
    /// Whether the list begins anew: the first one, or because the history was reset or events were missed. Earlier
    /// pages are to be loaded again.
    public let isReloaded: Bool
    /// No message is before the first row.
    public let reachedStart: Bool
    /// Why a page could not be fetched. The list stands as before.
    public let problem: ClientError?

    init(from old: [ChatMessage], to list: TimelineList, isReloaded: Bool = false, problem: ClientError? = nil) {
        messages = list.messages
        reachedStart = list.reachedStart
        self.isReloaded = isReloaded
        self.problem = problem
        let new = list.messages
        let difference = new.map(\.id).difference(from: old.map(\.id))
        removed = difference.removals.map(\.row).reversed()
        inserted = difference.insertions.map(\.row)
        updated = TimelineUpdate.changed(from: old, without: Set(removed), to: new, without: Set(inserted))
    }

    /// The rest of both lists has the same messages in the same order.
    private static func changed(
        from old: [ChatMessage], without removed: Set<Int>, to new: [ChatMessage], without inserted: Set<Int>
    ) -> [Int] {
        let kept = old.indices.filter { !removed.contains($0) }
        let rows = new.indices.filter { !inserted.contains($0) }
        return zip(kept, rows).compactMap { old[$0] == new[$1] ? nil : $1 }
    }

    /// Whether there is nothing to draw.
    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && updated.isEmpty && !isReloaded }
}

extension CollectionDifference.Change {
    fileprivate var row: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
