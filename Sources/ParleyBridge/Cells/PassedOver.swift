import ParleyStore

/// Entries of other cells' streams for which nobody had come, for as long as the report of somebody may be late.
///
/// Those that are heard after all stay until their time is over: the mark of this cell stays before them, so that they
/// are read again after its death.
struct PassedOver {
    private struct Entry {
        let entry: StreamEntry
        let at: ContinuousClock.Instant
        var isHeard = false
    }

    private var entries: [Entry] = []

    /// The broker's plugin reports within milliseconds; time in which this cell reads no reports does not count. With
    /// more, whoever comes from another cell would hear again what they have heard there.
    static let longest = Duration.seconds(1)
    /// The most that are kept, and how far back in a stream: a cell that starts again reads so much again.
    static let most = 4096

    /// Those that nobody has heard, of each stream in order.
    var unheard: [StreamEntry] { entries.filter { !$0.isHeard }.map(\.entry) }

    /// The first of each stream, by its cell.
    var firsts: [Int: StreamPosition] {
        entries.reduce(into: [:]) { firsts, entry in
            let position = entry.entry.position
            firsts[position.cell] = min(firsts[position.cell] ?? position, position)
        }
    }

    mutating func add(_ entry: StreamEntry, at now: ContinuousClock.Instant) {
        entries.append(Entry(entry: entry, at: now))
    }

    mutating func recordHeard(_ positions: Set<StreamPosition>) {
        for index in entries.indices where positions.contains(entries[index].entry.position) {
            entries[index].isHeard = true
        }
    }

    /// - Parameters:
    ///   - now: the time until which all reports are handled.
    ///   - read: how far the streams are read.
    mutating func forget(at now: ContinuousClock.Instant, read: StreamVector) {
        entries.removeAll { entry in
            let position = entry.entry.position
            return entry.at.duration(to: now) > PassedOver.longest
                || position.distance(to: read[position.cell]) >= PassedOver.most
        }
        if entries.count > PassedOver.most { entries.removeFirst(entries.count - PassedOver.most) }
    }
}
