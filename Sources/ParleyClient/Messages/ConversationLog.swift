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
/// what may be taken up next is ``ready(limit:)``. It is a value and does no I/O.
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
        /// Nothing that the user may see stands before them.
        var isOldest = false
    }

    /// Which epoch the held range is of; `nil` before anything is known.
    private(set) var epoch: String?
    /// The seqs that are held, and that the next one to be taken up is `upperBound`. Empty but not `nil`: the place is
    /// known where the log goes on.
    private(set) var held: Range<Int>?
    /// The newest seq known of, in the epoch.
    private(set) var newest = 0
    private var early: [Int: Record] = [:]
    /// Something of another epoch came: only history says which one stands.
    private var epochIsDoubted = false
    /// Set while nothing is held: there is something to be fetched.
    private var isKnown = false

    /// How many records may wait for those before them.
    static var capacity: Int { 512 }
    /// Beyond every seq there can be; JSON's numbers are exact up to here.
    static var seqs: ClosedRange<Int> { 1...(1 << 53) }

    /// - Parameter held: what was kept from earlier; `nil` for a conversation never seen.
    init(epoch: String? = nil, held: Range<Int>? = nil) {
        self.epoch = epoch
        self.held = epoch == nil ? nil : held
        newest = (self.held?.upperBound ?? 1) - 1
    }

    /// Whether a record is in the held range.
    func holds(_ epoch: String, _ seq: Int) -> Bool { epoch == self.epoch && held?.contains(seq) == true }

    /// Whether a record stands further back than the held range reaches.
    func isBefore(_ epoch: String, _ seq: Int) -> Bool {
        guard epoch == self.epoch, let held else { return false }
        return seq < held.lowerBound
    }

    /// What has to be fetched now; `nil` when nothing is known to be missing.
    var want: Want? {
        if epochIsDoubted { return .newest }
        guard let held else { return isKnown ? .newest : nil }
        guard newest >= held.upperBound, early[held.upperBound] == nil else { return nil }
        return .after(held.upperBound - 1)
    }

    /// Up to where nothing is missing: what is held, and what waits to be taken up after it.
    var contiguousSeq: Int {
        var next = held?.upperBound ?? 1
        while early[next] != nil { next += 1 }
        return next - 1
    }

    /// The records that come next, without a hole.
    func ready(limit: Int) -> [Record] {
        guard !epochIsDoubted, let held else { return [] }
        var records: [Record] = []
        while records.count < limit, let record = early[held.upperBound + records.count] { records.append(record) }
        return records
    }

    /// The next `count` records have been taken up for good.
    mutating func took(_ count: Int) {
        guard let held else { return }
        for seq in held.upperBound..<(held.upperBound + count) { early[seq] = nil }
        self.held = held.lowerBound..<(held.upperBound + count)
        newest = max(newest, held.upperBound + count - 1)
    }

    /// A record came live.
    mutating func receive(_ record: Record) {
        guard Self.seqs.contains(record.seq) else { return }
        isKnown = true
        guard epoch == nil || epoch == record.epoch else {
            epochIsDoubted = true
            return
        }
        if epoch == nil { epoch = record.epoch }
        newest = max(newest, record.seq)
        keep(record)
    }

    /// The gateway said how far the log goes, in a list or in the conversation itself.
    mutating func learned(epoch said: String, lastSeq: Int) {
        isKnown = true
        guard epoch == nil || epoch == said else {
            epochIsDoubted = true
            return
        }
        if epoch == nil { epoch = said }
        newest = max(newest, min(lastSeq, Self.seqs.upperBound))
    }

    /// Something says that another epoch stands: history is asked.
    mutating func doubted() { epochIsDoubted = epoch != nil }

    /// The gateway said that another epoch stands: nothing of it is held yet.
    mutating func began(epoch: String) {
        self.epoch = epoch
        held = nil
        newest = 0
        early.removeAll()
        epochIsDoubted = false
        isKnown = true
    }

    /// The user is a member again. What stands between what is held and what comes may be none of his.
    mutating func rejoined() {
        held = nil
        early.removeAll()
        isKnown = epoch != nil
    }

    /// What a page did.
    struct Outcome: Hashable {
        /// Something that was asked for came. Without it, asking again at once would be in vain.
        var isProgress = false
    }

    /// The page that ``want`` asked for.
    mutating func received(_ page: Page, for want: Want) -> Outcome {
        var outcome = Outcome()
        isKnown = true
        if epoch != page.epoch {
            // A page of what follows says nothing of where a new epoch begins.
            guard want == .newest else {
                epochIsDoubted = true
                return Outcome(isProgress: true)
            }
            began(epoch: page.epoch)
        }
        let records = page.records.filter { $0.epoch == page.epoch && Self.seqs.contains($0.seq) }
        if want == .newest {
            outcome.isProgress = epochIsDoubted || held == nil
            epochIsDoubted = false
            if held == nil {
                let start = records.map(\.seq).min() ?? min(max(page.lastSeq, 0), Self.seqs.upperBound) + 1
                held = start..<start
                early = early.filter { $0.key >= start }
            }
        }
        newest = max(newest, min(page.lastSeq, Self.seqs.upperBound))
        if page.isOldest, case .after(let seq) = want { skip(to: records.map(\.seq).min(), after: seq) }
        let next = held?.upperBound ?? 1
        let wasMissing = early[next] == nil
        for record in records { keep(record) }
        if wasMissing, early[next] != nil { outcome.isProgress = true }
        // A page that was read when all that is known of was there says what there is.
        if !outcome.isProgress, early.isEmpty { newest = max(page.lastSeq, next - 1) }
        return outcome
    }

    /// A page of what follows begins with the oldest that the user may see: what stands between, from while he was no
    /// member, will never be given to him.
    private mutating func skip(to first: Int?, after seq: Int) {
        guard let first, let held, seq == held.upperBound - 1, first > held.upperBound else { return }
        self.held = held.lowerBound..<first
        early = early.filter { $0.key >= first }
    }

    /// A page of what lies before the held range, asked for with `before: lowerBound`.
    ///
    /// - Returns: the records that join it, ascending; the range begins with the first of them now.
    mutating func receivedOlder(_ page: Page) -> [Record] {
        guard let held, epoch == page.epoch else {
            epochIsDoubted = epochIsDoubted || epoch != nil
            return []
        }
        var bySeq: [Int: Record] = [:]
        for record in page.records where record.epoch == page.epoch { bySeq[record.seq] = record }
        var joined: [Record] = []
        while let record = bySeq[held.lowerBound - 1 - joined.count] { joined.append(record) }
        self.held = (held.lowerBound - joined.count)..<held.upperBound
        return joined.reversed()
    }

    /// Keeps a record until those before it are there; of too many, those that are needed last are dropped, and fetched
    /// when their turn comes.
    private mutating func keep(_ record: Record) {
        if let held, record.seq < held.upperBound { return }
        guard early[record.seq] == nil else { return }
        early[record.seq] = record
        guard early.count > Self.capacity, let last = early.keys.max() else { return }
        early[last] = nil
    }
}
