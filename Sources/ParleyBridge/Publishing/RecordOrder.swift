import ParleyProtocol
import ParleyStore

/// Has the records of each conversation go out in the order of their seqs, once each, though they come by the streams
/// of several cells.
///
/// A record that comes before others of its conversation has those read from the store: they are committed, for each
/// cell locks the conversation until its transaction ends. When they come by their own stream they are left out.
///
/// Of a conversation that is met for the first time nothing is known of what goes before.
struct RecordOrder {
    /// The place of a record in its conversation.
    struct Place: Hashable, Sendable {
        let conversation: ConversationID
        let seq: Int
    }

    /// Records that go before an item of a batch.
    struct Gap: Hashable, Sendable {
        let item: Int
        let conversation: ConversationID
        /// The seqs between which they lie.
        let after: Int
        let before: Int
    }

    /// A longer gap is left to devices, which ask for what they miss.
    static let longestGap = 256

    /// The seqs that were handed on without a hole.
    private typealias Span = ClosedRange<Int>

    /// Those of conversations that were met lately, and those of before. When there are many of the first, the second
    /// are forgotten.
    private var recent: [ConversationID: Span] = [:]
    private var older: [ConversationID: Span] = [:]
    private let capacity: Int

    /// - Parameter capacity: of how many conversations it knows at least; it may know twice as many.
    init(capacity: Int = 20_000) { self.capacity = capacity }

    /// What is missing before the items of a batch.
    func gaps(before items: [Outgoing.Item]) -> [Gap] {
        var ends: [ConversationID: Int] = [:]
        var gaps: [Gap] = []
        for (index, item) in items.enumerated() {
            guard let place = item.record else { continue }
            let end = ends[place.conversation] ?? span(of: place.conversation)?.upperBound
            if let end, place.seq > end + 1, place.seq - end <= RecordOrder.longestGap {
                gaps.append(Gap(item: index, conversation: place.conversation, after: end, before: place.seq))
            }
            ends[place.conversation] = max(end ?? place.seq, place.seq)
        }
        return gaps
    }

    /// A record is handed on, and with it all that `gaps` has named before it.
    ///
    /// - Returns: whether it was handed on before.
    mutating func isRepeated(_ place: Place) -> Bool {
        guard let span = span(of: place.conversation), place.seq - span.upperBound <= RecordOrder.longestGap else {
            set(place.seq...place.seq, of: place.conversation)
            return false
        }
        // One from before the first that was met comes late, and not twice.
        guard place.seq > span.upperBound else { return span.contains(place.seq) }
        set(span.lowerBound...place.seq, of: place.conversation)
        return false
    }

    private func span(of conversation: ConversationID) -> Span? { recent[conversation] ?? older[conversation] }

    private mutating func set(_ span: Span, of conversation: ConversationID) {
        if recent.count >= capacity, recent[conversation] == nil {
            older = recent
            recent = [:]
        }
        recent[conversation] = span
    }
}

extension Snapshot {
    /// The records in gaps, by the index of the item before which they go. They wait for what they depend on as the
    /// events of their own streams do.
    func records(in gaps: [RecordOrder.Gap], _ cells: any Cells) throws(StoreError) -> [Int: Outgoing] {
        let changes = StreamVector(try cells.states(in: self).map(\.audience))
        var missing: [Int: Outgoing] = [:]
        for gap in gaps {
            var outgoing = Outgoing()
            outgoing.requires = changes
            for record in try outbox.records(of: gap.conversation, after: gap.after, before: gap.before) {
                outgoing.announce(record, position: nil)
            }
            missing[gap.item] = outgoing
        }
        return missing
    }
}
