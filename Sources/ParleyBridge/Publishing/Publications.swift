import MQTTClient
import ParleyProtocol
import ParleyStore

/// The publishes to the broker, in order: waiting, then under way until they are acknowledged.
///
/// A value. Those that were under way on a lost connection go first on the next one.
struct Publications {
    struct Entry: Sendable {
        let batch: Batch
        let index: Int
        /// Whether it was published before, and is only to be counted.
        let isRepeated: Bool
        /// Everything up to this position is done when the entry is.
        fileprivate var through: StreamPosition?

        fileprivate init(batch: Batch, index: Int, isRepeated: Bool = false) {
            self.batch = batch
            self.index = index
            self.isRepeated = isRepeated
            through = batch.outgoing.items[index].position
        }

        var item: Outgoing.Item { batch.outgoing.items[index] }
    }

    /// One batch, shared by its entries.
    final class Batch: Sendable {
        let outgoing: Outgoing
        /// Whether it came through the queue, and takes room in it.
        let isCounted: Bool

        init(_ outgoing: Outgoing, isCounted: Bool) {
            self.outgoing = outgoing
            self.isCounted = isCounted
        }
    }

    private struct Underway {
        let entry: Entry
        let packet: PacketIdentifier
        var isAcknowledged: Bool
    }

    private var waiting = Fifo<Entry>()
    private var underway = Fifo<Underway>()

    /// The counted load that was acknowledged or dropped since the last `drainFinished`.
    private var finished = OutLoad()
    /// When batches were queued that were acknowledged or dropped since the last `drainQueueTimes`.
    private var queueTimes: [ContinuousClock.Instant] = []
    /// Everything up to here, in each stream, was acknowledged or dropped.
    private(set) var publishedStreams: StreamVector
    /// The last position in this gateway's stream of all that was added.
    private(set) var addedThrough: StreamPosition
    /// The stream of this gateway.
    private let own: Int
    var publishedThrough: StreamPosition { publishedStreams[own] }

    init(publishedThrough: StreamPosition) {
        publishedStreams = StreamVector([publishedThrough])
        addedThrough = publishedThrough
        own = publishedThrough.cell
    }

    var isEmpty: Bool { waiting.isEmpty && underway.isEmpty }
    var hasWaiting: Bool { !waiting.isEmpty }

    mutating func add(_ outgoing: Outgoing, isCounted: Bool) {
        let batch = Batch(outgoing, isCounted: isCounted)
        for index in outgoing.items.indices { append(Entry(batch: batch, index: index)) }
    }

    private mutating func append(_ entry: Entry) {
        if let position = entry.through, position.cell == own { addedThrough = max(addedThrough, position) }
        waiting.append(entry)
    }

    /// Adds a batch in which records may be early, or come again.
    ///
    /// - Parameter earlier: what goes before an item, by its index.
    mutating func add(
        _ outgoing: Outgoing, isCounted: Bool, earlier: [Int: Outgoing], in order: inout RecordOrder
    ) {
        let batch = Batch(outgoing, isCounted: isCounted)
        for (index, item) in outgoing.items.enumerated() {
            if let missing = earlier[index] { add(missing, isCounted: false) }
            let isRepeated = order.isRepeated(item, earlier: earlier[index]?.items.first?.record?.seq)
            append(Entry(batch: batch, index: index, isRepeated: isRepeated))
        }
    }

    var next: Entry? { waiting.first }

    /// The next entry was sent; `packet` is `nil` where no acknowledgement will come.
    mutating func recordSent(_ packet: PacketIdentifier?) {
        guard let entry = waiting.popFirst() else { return }
        underway.append(
            Underway(entry: entry, packet: packet ?? PacketIdentifier(rawValue: 0), isAcknowledged: packet == nil))
        finishAcknowledged()
    }

    /// Drops the next entry, which cannot be sent.
    mutating func dropNext() { recordSent(nil) }

    mutating func recordAcknowledgement(of packet: PacketIdentifier) -> Bool {
        let isOurs = underway.update(where: { !$0.isAcknowledged && $0.packet == packet }) { $0.isAcknowledged = true }
        finishAcknowledged()
        return isOurs
    }

    /// The connection is gone: publishes under way are sent again, before all else.
    mutating func requeueUnacknowledged() {
        let later = waiting.removeAll()
        var again: [Entry] = []
        for sent in underway.removeAll() {
            guard sent.isAcknowledged, let last = again.indices.last else {
                again.append(sent.entry)
                continue
            }
            // Acknowledged out of order, behind one that is not: that one's acknowledgement counts for both.
            count(sent.entry)
            again[last].through = sent.entry.through ?? again[last].through
        }
        for entry in again + later { waiting.append(entry) }
    }

    mutating func drainFinished() -> OutLoad {
        defer { finished = OutLoad() }
        return finished
    }

    /// When the batches were queued whose last entry was acknowledged or dropped since the last call.
    mutating func drainQueueTimes(_ body: ([ContinuousClock.Instant]) -> Void) {
        guard !queueTimes.isEmpty else { return }
        body(queueTimes)
        queueTimes.removeAll(keepingCapacity: true)
    }

    private mutating func finishAcknowledged() {
        while let first = underway.first, first.isAcknowledged {
            underway.popFirst()
            count(first.entry)
            if let position = first.entry.through { publishedStreams.advance(to: position) }
        }
    }

    private mutating func count(_ entry: Entry) {
        guard entry.batch.isCounted else { return }
        finished.items += 1
        guard entry.index == entry.batch.outgoing.items.count - 1 else { return }
        finished.bytes += entry.batch.outgoing.bytes.count
        if let time = entry.batch.outgoing.queuedAt { queueTimes.append(time) }
    }
}
