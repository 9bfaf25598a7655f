import ParleyProtocol
import ParleyStore

/// Has the records of each conversation go out in the order of their seqs, once each, though they come by the streams
/// of several cells.
///
/// A record that comes before others of its conversation has those read from the store: they are committed, for each
/// cell locks the conversation until its transaction ends. When they come by their own stream they are left out.
///
/// Of a conversation that is met for the first time the store tells the positions of what goes before.
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
        /// The seqs between which they lie; `nil` where it is not known how far the conversation has come.
        let after: Int?
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
    /// In each stream, all up to here was handed on, or was published by an earlier process.
    private(set) var handedOn: StreamVector

    /// - Parameters:
    ///   - begin: of what is handed on, in each stream.
    ///   - capacity: of how many conversations it knows at least; it may know twice as many.
    init(from begin: StreamVector, capacity: Int = 100_000) { (handedOn, self.capacity) = (begin, capacity) }

    /// What is missing before the items of a batch, or may be.
    ///
    /// - Parameter hasOthers: whether other cells may have written at the same time.
    func gaps(before items: [Outgoing.Item], hasOthers: Bool) -> [Gap] {
        var ends: [ConversationID: Int] = [:]
        var gaps: [Gap] = []
        for (index, item) in items.enumerated() {
            guard let place = item.record else { continue }
            let end = ends[place.conversation] ?? span(of: place.conversation)?.upperBound
            let isGap = end.map { place.seq > $0 + 1 && place.seq - $0 <= RecordOrder.longestGap }
            if isGap ?? (hasOthers && place.seq > 1) {
                gaps.append(Gap(item: index, conversation: place.conversation, after: end, before: place.seq))
            }
            ends[place.conversation] = max(end ?? place.seq, place.seq)
        }
        return gaps
    }

    /// An item is handed on, and with it all that goes before it.
    ///
    /// - Parameter earlier: the seq of the first record that goes before it, if one does.
    /// - Returns: whether it is a record that was handed on before.
    mutating func isRepeated(_ item: Outgoing.Item, earlier: Int? = nil) -> Bool {
        if let position = item.position { handedOn.advance(to: position) }
        guard let place = item.record else { return false }
        guard let span = span(of: place.conversation), place.seq - span.upperBound <= RecordOrder.longestGap else {
            set(min(earlier ?? place.seq, place.seq)...place.seq, of: place.conversation)
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

extension Publications {
    /// Adds a batch. Among cells, what is missing before its records goes first, and what was handed on is left out.
    ///
    /// - Parameters:
    ///   - passedOver: where what was read and not handed on begins, by stream.
    ///   - order: `nil` before the first batch.
    mutating func add(
        _ outgoing: Outgoing, isCounted: Bool, of store: Store, passedOver: Monitor<[Int: StreamPosition]>,
        in order: inout RecordOrder?
    ) throws(StoreError) {
        guard let cells = store.cells else { return add(outgoing, isCounted: isCounted) }
        let own = publishedThrough
        var known =
            if let order { order } else {
                RecordOrder(
                    from: try store.read { try cells.beginning(own: own, of: try cells.states(in: $0), in: $0) })
            }
        order = nil
        defer { order = known }
        let gaps = known.gaps(before: outgoing.items, hasOthers: cells.hasOthers)
        let handedOn = HandedOn(through: known.handedOn, passedOver: passedOver.withLock { $0 })
        let earlier = gaps.isEmpty ? [:] : try store.read { try $0.records(in: gaps, handedOn, cells) }
        add(outgoing, isCounted: isCounted, earlier: earlier, in: &known)
    }
}

/// The positions that were handed on, of a conversation that is met for the first time.
struct HandedOn {
    /// In each stream, all up to here,
    let through: StreamVector
    /// but for some from here on, by stream.
    let passedOver: [Int: StreamPosition]

    func contains(_ position: StreamPosition) -> Bool {
        position <= through[position.cell] && passedOver[position.cell].map { position < $0 } ?? true
    }
}

extension Snapshot {
    /// The records in gaps, by the index of the item before which they go. They wait for what they depend on as the
    /// events of their own streams do.
    func records(
        in gaps: [RecordOrder.Gap], _ handedOn: HandedOn, _ cells: any Cells
    ) throws(StoreError) -> [Int: Outgoing] {
        var missing: [Int: Outgoing] = [:]
        for gap in gaps {
            let records = try records(in: gap, handedOn)
            guard !records.isEmpty else { continue }
            var outgoing = Outgoing()
            outgoing.requires = StreamVector(try cells.states(in: self).map(\.audience))
            for record in records { outgoing.announce(record, position: nil) }
            missing[gap.item] = outgoing
        }
        return missing
    }

    /// From the last back to the first; of a conversation that was not met before, to one that was handed on.
    private func records(in gap: RecordOrder.Gap, _ handedOn: HandedOn) throws(StoreError) -> [MessageRecord] {
        var (found, step): ([MessageRecord], Int) = ([], gap.after == nil ? 1 : RecordOrder.longestGap)
        while found.count < RecordOrder.longestGap {
            let before = found.last?.seq ?? gap.before
            let list = try outbox.records(of: gap.conversation, after: gap.after ?? 0, before: before, limit: step)
            for (position, record) in list {
                guard gap.after != nil || !handedOn.contains(position) else { return found.reversed() }
                found.append(record)
            }
            guard list.count == step else { break }
            step = 32
        }
        return found.reversed()
    }
}
