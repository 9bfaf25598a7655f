import ParleyProtocol

/// A record of a conversation's log, as far as the log has to know it.
protocol LogRecord: Sendable {
    var id: MessageID { get }
    var epoch: String { get }
    /// 1, 2, 3 … without a gap in an epoch (protocol §1).
    var seq: Int { get }
}

/// The part of a conversation's log that this device holds, and how live and fetched records join it: complete, without
/// duplicates, in order.
///
/// One contiguous range is held. Early records wait, up to a bound; ``want`` says what to fetch, and ``ready(limit:)``
/// what to deliver next. A value without I/O.
struct ConversationLog<Record: LogRecord> {
    /// A page to fetch with `history/get`.
    enum Want: Hashable {
        case newest
        /// The records after this seq.
        case after(Int)
    }

    /// A page of history, as far as the log has to know it.
    struct Page {
        var epoch: String
        /// The newest seq when the page was read.
        var lastSeq: Int
        /// In any order.
        var records: [Record]
        /// Whether no record that the user may see is before them.
        var isOldest = false
    }

    /// The state of the log. Each case says which states follow; a known epoch stays known.
    enum State: Hashable, Sendable {
        /// Nothing is known. A record, a list or a page leads to ``unplaced(epoch:)``.
        case unknown
        /// Only the stored epoch is known: nothing is fetched. A record, a list or a page of that epoch leads to
        /// ``unplaced(epoch:)``, of another one to ``doubted(epoch:held:)``.
        case named(epoch: String)
        /// The newest page has to be fetched, which leads to ``holding(epoch:seqs:)``. Anything of another epoch leads
        /// to ``doubted(epoch:held:)``.
        case unplaced(epoch: String)
        /// These seqs are held, and the upper bound is delivered next; the range may be empty. A new membership leads
        /// back to ``unplaced(epoch:)``, anything of another epoch to ``doubted(epoch:held:)``.
        case holding(epoch: String, seqs: Range<Int>)
        /// Something of another epoch came: the newest page decides which one is valid, and nothing is delivered
        /// before. It leads back to ``holding(epoch:seqs:)``, or with the other epoch to ``unplaced(epoch:)`` and on.
        case doubted(epoch: String, held: Range<Int>?)
    }

    private var state: State
    /// The newest known seq of the epoch.
    private(set) var newest = 0
    /// Records that came out of order, by seq.
    private var early: [Int: Record] = [:]

    /// The epoch of the held range; `nil` before anything is known.
    var epoch: String? {
        switch state {
        case .unknown: nil
        case .named(let epoch), .unplaced(let epoch), .holding(let epoch, _), .doubted(let epoch, _): epoch
        }
    }

    /// The held range; `nil` before its start is known.
    var held: Range<Int>? {
        switch state {
        case .unknown, .named, .unplaced: nil
        case .holding(_, let seqs): seqs
        case .doubted(_, let held): held
        }
    }

    /// The most records that wait for earlier ones.
    static var capacity: Int { 512 }
    /// The valid seqs: JSON's numbers are exact up to here.
    static var seqs: ClosedRange<Int> { 1...(1 << 53) }

    /// - Parameter held: the stored range; `nil` for a new conversation.
    init(epoch: String? = nil, held: Range<Int>? = nil) {
        state =
            switch (epoch, held) {
            case (nil, _): .unknown
            case (let epoch?, nil): .named(epoch: epoch)
            case (let epoch?, let held?): .holding(epoch: epoch, seqs: held)
            }
        newest = (self.held?.upperBound ?? 1) - 1
    }

    func holds(_ epoch: String, _ seq: Int) -> Bool { epoch == self.epoch && held?.contains(seq) == true }

    func isBefore(_ epoch: String, _ seq: Int) -> Bool {
        guard epoch == self.epoch, let held else { return false }
        return seq < held.lowerBound
    }

    /// The page to fetch; `nil` when nothing is known to be missing.
    var want: Want? {
        switch state {
        case .unknown, .named: return nil
        case .unplaced, .doubted: return .newest
        case .holding(_, let held):
            guard newest >= held.upperBound, early[held.upperBound] == nil else { return nil }
            return .after(held.upperBound - 1)
        }
    }

    /// The last seq of the held range and the ready records after it.
    var contiguousSeq: Int {
        var next = held?.upperBound ?? 1
        while early[next] != nil { next += 1 }
        return next - 1
    }

    /// The next records, without a gap.
    func ready(limit: Int) -> [Record] {
        guard case .holding(_, let held) = state else { return [] }
        var records: [Record] = []
        while records.count < limit, let record = early[held.upperBound + records.count] { records.append(record) }
        return records
    }

    /// The next `count` records are stored.
    mutating func advance(by count: Int) {
        guard let held else { return }
        for seq in held.upperBound..<(held.upperBound + count) { early[seq] = nil }
        hold(held.lowerBound..<(held.upperBound + count))
        newest = max(newest, held.upperBound + count - 1)
    }

    mutating func receive(_ record: Record) {
        guard Self.seqs.contains(record.seq), mergeEpoch(record.epoch) else { return }
        newest = max(newest, record.seq)
        hold(record)
    }

    /// Merges the end of the log, from a list or the conversation object.
    mutating func recordEnd(epoch said: String, lastSeq: Int) {
        guard mergeEpoch(said) else { return }
        newest = max(newest, min(lastSeq, Self.seqs.upperBound))
    }

    /// Another epoch may be current: history decides.
    mutating func doubt() { if let epoch { state = .doubted(epoch: epoch, held: held) } }

    /// Merges an epoch that was named.
    ///
    /// - Returns: whether it is the log's.
    private mutating func mergeEpoch(_ said: String) -> Bool {
        switch state {
        case .unknown: state = .unplaced(epoch: said)
        case .named(said): state = .unplaced(epoch: said)
        case .unplaced(said), .holding(said, _), .doubted(said, _): break
        case .named, .unplaced, .holding, .doubted:
            doubt()
            return false
        }
        return true
    }

    /// Changes the held range; a doubted epoch stays doubted.
    private mutating func hold(_ seqs: Range<Int>) {
        switch state {
        case .unknown: break
        case .named(let epoch), .unplaced(let epoch), .holding(let epoch, _): state = .holding(epoch: epoch, seqs: seqs)
        case .doubted(let epoch, _): state = .doubted(epoch: epoch, held: seqs)
        }
    }

    /// Begins another epoch, of which nothing is held.
    mutating func begin(epoch: String) {
        state = .unplaced(epoch: epoch)
        newest = 0
        early.removeAll()
    }

    /// The user is a member again: records between the held range and new ones may not be theirs to see.
    mutating func rejoin() {
        early.removeAll()
        switch state {
        case .unknown, .unplaced: break
        case .named(let epoch), .holding(let epoch, _): state = .unplaced(epoch: epoch)
        case .doubted(let epoch, _): state = .doubted(epoch: epoch, held: nil)
        }
    }

    struct Outcome: Hashable {
        /// Whether a wanted record came. If not, an immediate repeat is pointless.
        var isProgress = false
    }

    mutating func merge(_ page: Page, for want: Want) -> Outcome {
        var outcome = Outcome()
        // Only the newest page says where a new epoch begins.
        guard mergeEpoch(page.epoch) || want == .newest else { return Outcome(isProgress: true) }
        if epoch != page.epoch { begin(epoch: page.epoch) }
        let records = page.records.filter { $0.epoch == page.epoch && Self.seqs.contains($0.seq) }
        if want == .newest {
            outcome.isProgress = position(atStartOf: records, lastSeq: page.lastSeq)
        }
        newest = max(newest, min(page.lastSeq, Self.seqs.upperBound))
        if page.isOldest, case .after(let seq) = want { skip(to: records.map(\.seq).min(), after: seq) }
        let next = held?.upperBound ?? 1
        let wasMissing = early[next] == nil
        for record in records { hold(record) }
        if wasMissing, early[next] != nil { outcome.isProgress = true }
        // The page proves that there are no newer records.
        if !outcome.isProgress, early.isEmpty { newest = max(page.lastSeq, next - 1) }
        return outcome
    }

    /// The newest page confirms its epoch, and places the held range if nothing is held.
    ///
    /// - Returns: whether either was unknown.
    private mutating func position(atStartOf records: [Record], lastSeq: Int) -> Bool {
        switch state {
        case .holding: return false
        case .doubted(let epoch, let held?):
            state = .holding(epoch: epoch, seqs: held)
        case .unknown, .named, .unplaced, .doubted:
            let start = records.map(\.seq).min() ?? min(max(lastSeq, 0), Self.seqs.upperBound) + 1
            if let epoch { state = .holding(epoch: epoch, seqs: start..<start) }
            early = early.filter { $0.key >= start }
        }
        return true
    }

    /// If a page of later records begins with the oldest that the user may see, the gap before it, from a time without
    /// membership, is skipped.
    private mutating func skip(to first: Int?, after seq: Int) {
        guard let first, let held, seq == held.upperBound - 1, first > held.upperBound else { return }
        hold(held.lowerBound..<first)
        early = early.filter { $0.key >= first }
    }

    /// Merges a page before the held range, requested with `before: lowerBound`.
    ///
    /// - Returns: the records that joined the range, ascending.
    mutating func mergeOlder(_ page: Page) -> [Record] {
        guard let held, epoch == page.epoch else {
            doubt()
            return []
        }
        var bySeq: [Int: Record] = [:]
        for record in page.records where record.epoch == page.epoch { bySeq[record.seq] = record }
        var joined: [Record] = []
        while let record = bySeq[held.lowerBound - 1 - joined.count] { joined.append(record) }
        hold((held.lowerBound - joined.count)..<held.upperBound)
        return joined.reversed()
    }

    /// Keeps an early record. Over the capacity the last ones are dropped, and fetched later.
    private mutating func hold(_ record: Record) {
        if let held, record.seq < held.upperBound { return }
        guard early[record.seq] == nil else { return }
        early[record.seq] = record
        guard early.count > Self.capacity, let last = early.keys.max() else { return }
        early[last] = nil
    }
}
