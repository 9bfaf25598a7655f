import MQTTClient
import ParleyProtocol
import ParleyStore

/// What is on its way to the broker, in order: waiting, then under way until the broker has acknowledged it.
///
/// A value. What a lost connection had under way goes first on the next one.
struct Publications {
    struct Entry: Sendable {
        let batch: Batch
        let index: Int
        /// Everything up to here is done when this is.
        fileprivate var through: StreamPosition?

        fileprivate init(batch: Batch, index: Int) {
            self.batch = batch
            self.index = index
            through = batch.outgoing.items[index].position
        }

        var item: Outgoing.Item { batch.outgoing.items[index] }
    }

    /// One batch, shared by its entries.
    final class Batch: Sendable {
        let outgoing: Outgoing
        /// Whether it came through the queue, which counts what is in it.
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

    /// What of that which came through the queue was acknowledged or given up since this was last asked.
    private var finished = OutLoad()
    /// Everything up to this position was acknowledged or given up.
    private(set) var publishedThrough: StreamPosition

    init(publishedThrough: StreamPosition) { self.publishedThrough = publishedThrough }

    var isEmpty: Bool { waiting.isEmpty && underway.isEmpty }
    var hasWaiting: Bool { !waiting.isEmpty }

    mutating func add(_ outgoing: Outgoing, isCounted: Bool) {
        let batch = Batch(outgoing, isCounted: isCounted)
        for index in outgoing.items.indices { waiting.append(Entry(batch: batch, index: index)) }
    }

    var next: Entry? { waiting.first }

    /// The next entry was sent; `packet` is `nil` where no acknowledgement will come.
    mutating func recordSent(_ packet: PacketIdentifier?) {
        guard let entry = waiting.popFirst() else { return }
        underway.append(
            Underway(entry: entry, packet: packet ?? PacketIdentifier(rawValue: 0), isAcknowledged: packet == nil))
        settle()
    }

    /// The next entry cannot be sent at all: it must not hold up what follows.
    mutating func dropNext() { recordSent(nil) }

    mutating func recordAcknowledgement(of packet: PacketIdentifier) -> Bool {
        let isOurs = underway.update(where: { !$0.isAcknowledged && $0.packet == packet }) { $0.isAcknowledged = true }
        settle()
        return isOurs
    }

    /// The connection is gone: whatever it had under way is to be sent again, before all else.
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

    private mutating func settle() {
        while let first = underway.first, first.isAcknowledged {
            underway.popFirst()
            count(first.entry)
            if let position = first.entry.through { publishedThrough = max(publishedThrough, position) }
        }
    }

    private mutating func count(_ entry: Entry) {
        guard entry.batch.isCounted else { return }
        finished.items += 1
        if entry.index == entry.batch.outgoing.items.count - 1 { finished.bytes += entry.batch.outgoing.bytes.count }
    }
}
