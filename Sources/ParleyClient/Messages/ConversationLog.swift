import ParleyProtocol

/// A record of a conversation's log, as far as its place in it goes.
protocol LogRecord: Sendable {
    var id: MessageID { get }
    var epoch: String { get }
    /// 1, 2, 3 … without a hole inside an epoch (protocol §1).
    var seq: Int { get }
}

/// What of a conversation's log this device holds, and how live and fetched records join it: nothing missing, nothing
/// twice, in order.
///
/// One contiguous range is held. What comes early waits, a bounded number; what is missing is asked for by ``want``;
/// what may be delivered next is ``ready(limit:)``. It is a value and does no I/O.
struct ConversationLog<Record: LogRecord> {
    /// A page that is to be fetched with `history/get`.
    enum Want: Hashable {
        case newest
        /// What follows this seq.
        case after(Int)
    }

    /// A page of history, as far as the log has to know it.
    struct Page {
        var epoch: String
        /// The newest seq that there was when the page was read.
        var lastSeq: Int
        /// In any order.
        var records: [Record]
        /// Nothing that the user may see is before them.
        var isOldest = false
    }

    /// What is known and held of the log. Each case says how it leads to the next; an epoch that is known stays known.
    enum State: Hashable, Sendable {
        /// Nothing was ever said of it. A record, a list or a page makes it ``unplaced(epoch:)``.
        case unknown
        /// Only its epoch is known, from an earlier life: nothing is asked for. A record, a list or a page of that
        /// epoch makes it ``unplaced(epoch:)``, of another one ``doubted(epoch:held:)``.
        case named(epoch: String)
        /// There is something to be fetched, and nothing is held yet. The newest page says where the held range begins:
        /// ``holding(epoch:seqs:)``. What is of another epoch makes it ``doubted(epoch:held:)``.
        case unplaced(epoch: String)
        /// These seqs are held, and the next one to be delivered is the upper bound. Empty where the place is known
        /// from which the log goes on. Being a member again leads back to ``unplaced(epoch:)``, what is of another
        /// epoch to ``doubted(epoch:held:)``.
        case holding(epoch: String, seqs: Range<Int>)
        /// Something of another epoch came: only the newest page says which one is valid, and nothing is delivered
        /// before. It leads back to ``holding(epoch:seqs:)``, or with the other epoch to ``unplaced(epoch:)`` and on.
        case doubted(epoch: String, held: Range<Int>?)
    }

    private var state: State
    /// The newest seq known of, in the epoch.
    private(set) var newest = 0
    /// Records that came before those in front of them, by seq.
    private var early: [Int: Record] = [:]

    /// Which epoch the held range is of; `nil` before anything is known.
    var epoch: String? {
        switch state {
        case .unknown: nil
        case .named(let epoch), .unplaced(let epoch), .holding(let epoch, _), .doubted(let epoch, _): epoch
        }
    }

    /// The seqs that are held; `nil` before their place is known.
    var held: Range<Int>? {
        switch state {
        case .unknown, .named, .unplaced: nil
        case .holding(_, let seqs): seqs
        case .doubted(_, let held): held
        }
    }

    /// How many records may wait for those before them.
    static var capacity: Int { 512 }
    /// Beyond every seq there can be; JSON's numbers are exact up to here.
    static var seqs: ClosedRange<Int> { 1...(1 << 53) }

    /// - Parameter held: what was kept from earlier; `nil` for a conversation never seen.
    init(epoch: String? = nil, held: Range<Int>? = nil) {
        state =
            switch (epoch, held) {
            case (nil, _): .unknown
            case (let epoch?, nil): .named(epoch: epoch)
            case (let epoch?, let held?): .holding(epoch: epoch, seqs: held)
            }
        newest = (self.held?.upperBound ?? 1) - 1
    }

    /// Whether a record is in the held range.
    func holds(_ epoch: String, _ seq: Int) -> Bool { epoch == self.epoch && held?.contains(seq) == true }

    /// Whether a record is further back than the held range reaches.
    func isBefore(_ epoch: String, _ seq: Int) -> Bool {
        guard epoch == self.epoch, let held else { return false }
        return seq < held.lowerBound
    }

    /// What has to be fetched now; `nil` when nothing is known to be missing.
    var want: Want? {
        switch state {
        case .unknown, .named: return nil
        case .unplaced, .doubted: return .newest
        case .holding(_, let held):
            guard newest >= held.upperBound, early[held.upperBound] == nil else { return nil }
            return .after(held.upperBound - 1)
        }
    }

    /// Up to where nothing is missing: what is held, and what waits to be delivered after it.
    var contiguousSeq: Int {
        var next = held?.upperBound ?? 1
        while early[next] != nil { next += 1 }
        return next - 1
    }

    /// The records that come next, without a hole.
    func ready(limit: Int) -> [Record] {
        guard case .holding(_, let held) = state else { return [] }
        var records: [Record] = []
        while records.count < limit, let record = early[held.upperBound + records.count] { records.append(record) }
        return records
    }

    /// The next `count` records have been delivered for good.
    mutating func advance(by count: Int) {
        guard let held else { return }
        for seq in held.upperBound..<(held.upperBound + count) { early[seq] = nil }
        hold(held.lowerBound..<(held.upperBound + count))
        newest = max(newest, held.upperBound + count - 1)
    }

    /// A record came live.
    mutating func receive(_ record: Record) {
        guard Self.seqs.contains(record.seq), mergeEpoch(record.epoch) else { return }
        newest = max(newest, record.seq)
        hold(record)
    }

    /// The gateway said how far the log goes, in a list or in the conversation itself.
    mutating func recordEnd(epoch said: String, lastSeq: Int) {
        guard mergeEpoch(said) else { return }
        newest = max(newest, min(lastSeq, Self.seqs.upperBound))
    }

    /// Something says that another epoch is current: history is asked.
    mutating func doubt() { if let epoch { state = .doubted(epoch: epoch, held: held) } }

    /// Something of an epoch came.
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

    /// The held range is another one; whether its epoch is doubted stays as it is.
    private mutating func hold(_ seqs: Range<Int>) {
        switch state {
        case .unknown: break
        case .named(let epoch), .unplaced(let epoch), .holding(let epoch, _): state = .holding(epoch: epoch, seqs: seqs)
        case .doubted(let epoch, _): state = .doubted(epoch: epoch, held: seqs)
        }
    }

    /// The gateway said that another epoch is current: nothing of it is held yet.
    mutating func begin(epoch: String) {
        state = .unplaced(epoch: epoch)
        newest = 0
        early.removeAll()
    }

    /// The user is a member again. What is between what is held and what comes may be none of theirs.
    mutating func rejoin() {
        early.removeAll()
        switch state {
        case .unknown, .unplaced: break
        case .named(let epoch), .holding(let epoch, _): state = .unplaced(epoch: epoch)
        case .doubted(let epoch, _): state = .doubted(epoch: epoch, held: nil)
        }
    }

    /// What a page did.
    struct Outcome: Hashable {
        /// Something that was asked for came. Without it, asking again at once would be in vain.
        var isProgress = false
    }

    /// The page that ``want`` asked for.
    mutating func merge(_ page: Page, for want: Want) -> Outcome {
        var outcome = Outcome()
        // A page of what follows says nothing of where a new epoch begins.
        guard mergeEpoch(page.epoch) || want == .newest else { return Outcome(isProgress: true) }
        if epoch != page.epoch { begin(epoch: page.epoch) }
        let records = page.records.filter { $0.epoch == page.epoch && Self.seqs.contains($0.seq) }
        if want == .newest {
            outcome.isProgress = place(atStartOf: records, lastSeq: page.lastSeq)
        }
        newest = max(newest, min(page.lastSeq, Self.seqs.upperBound))
        if page.isOldest, case .after(let seq) = want { skip(to: records.map(\.seq).min(), after: seq) }
        let next = held?.upperBound ?? 1
        let wasMissing = early[next] == nil
        for record in records { hold(record) }
        if wasMissing, early[next] != nil { outcome.isProgress = true }
        // A page that was read when all that is known of was there says what there is.
        if !outcome.isProgress, early.isEmpty { newest = max(page.lastSeq, next - 1) }
        return outcome
    }

    /// The newest page says that its epoch is current, and where the held range begins if nothing is held.
    ///
    /// - Returns: whether either was to be found out.
    private mutating func place(atStartOf records: [Record], lastSeq: Int) -> Bool {
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

    /// A page of what follows begins with the oldest that the user may see: what is between, from while they were no
    /// member, will never be given to them.
    private mutating func skip(to first: Int?, after seq: Int) {
        guard let first, let held, seq == held.upperBound - 1, first > held.upperBound else { return }
        hold(held.lowerBound..<first)
        early = early.filter { $0.key >= first }
    }

    /// A page of what lies before the held range, asked for with `before: lowerBound`.
    ///
    /// - Returns: the records that join it, ascending; the range begins with the first of them now.
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

    /// Keeps a record until those before it are there; of too many, those that are needed last are dropped, and fetched
    /// when their turn comes.
    private mutating func hold(_ record: Record) {
        if let held, record.seq < held.upperBound { return }
        guard early[record.seq] == nil else { return }
        early[record.seq] = record
        guard early.count > Self.capacity, let last = early.keys.max() else { return }
        early[last] = nil
    }
}
