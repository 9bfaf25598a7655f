import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

/// A record that is nothing but its place.
struct Position: LogRecord, Hashable {
    let id: MessageID
    let epoch: String
    let seq: Int

    init(_ seq: Int, epoch: String = "one") {
        id = MessageID(UUIDValue(high: UInt64(truncatingIfNeeded: seq), low: UInt64(epoch.utf8.count)))
        self.epoch = epoch
        self.seq = seq
    }
}

@Suite("What of a conversation's log a device holds")
struct ConversationLogTests {
    private typealias Log = ConversationLog<Position>

    private func page(_ seqs: ClosedRange<Int>?, lastSeq: Int, epoch: String = "one") -> Log.Page {
        Log.Page(
            epoch: epoch, lastSeq: lastSeq, records: (seqs.map(Array.init) ?? []).map { Position($0, epoch: epoch) })
    }

    /// A log that holds these.
    private func log(holding held: Range<Int>) -> Log { Log(epoch: "one", held: held) }

    @Test("what stands further back than the held range is told from what is in it, and from another epoch")
    func statusBeyondTheHeldRange() {
        let log = log(holding: 5..<8)
        #expect([4, 5, 7, 8].map { log.isBefore("one", $0) } == [true, false, false, false])
        #expect([4, 5, 7, 8].map { log.holds("one", $0) } == [false, true, true, false])
        #expect(!log.isBefore("two", 4) && !log.holds("two", 5))
        #expect(!Log().isBefore("one", 1))
    }

    /// Takes up all that is ready.
    private func takeUp(_ log: inout Log) -> [Int] {
        let records = log.ready(limit: .max)
        log.advance(by: records.count)
        return records.map(\.seq)
    }

    @Test("a conversation of which nothing is known wants nothing, and one that is known wants its newest page")
    func unknown() {
        var log = Log()
        #expect(log.want == nil)
        log.recordEnd(epoch: "one", lastSeq: 0)
        #expect(log.want == .newest)
    }

    @Test("the newest page is taken up as it stands, and what follows it live")
    func newest() {
        var log = Log()
        log.recordEnd(epoch: "one", lastSeq: 120)
        let outcome = log.merge(page(71...120, lastSeq: 120), for: .newest)
        #expect(outcome == .init(isProgress: true))
        #expect(takeUp(&log) == Array(71...120))
        #expect(log.held == 71..<121)
        log.receive(Position(121))
        #expect(takeUp(&log) == [121])
        #expect(log.want == nil)
    }

    @Test("an empty conversation is whole with an empty page, and its first message is taken up live")
    func empty() {
        var log = Log()
        log.recordEnd(epoch: "one", lastSeq: 0)
        _ = log.merge(page(nil, lastSeq: 0), for: .newest)
        #expect(log.want == nil)
        #expect(log.held == 1..<1)
        log.receive(Position(1))
        #expect(takeUp(&log) == [1])
    }

    @Test("a hole is fetched, and what came early follows what was fetched")
    func hole() {
        var log = log(holding: 1..<11)
        log.receive(Position(13))
        #expect(takeUp(&log) == [])
        #expect(log.want == .after(10))
        _ = log.merge(page(11...12, lastSeq: 13), for: .after(10))
        #expect(takeUp(&log) == [11, 12, 13])
        #expect(log.want == nil)
    }

    @Test("what is held already, or waits already, is not taken up twice")
    func doubles() {
        var log = log(holding: 5..<11)
        for seq in [10, 7, 2, 11, 11, 12] { log.receive(Position(seq)) }
        _ = log.merge(page(8...12, lastSeq: 12), for: .after(10))
        #expect(takeUp(&log) == [11, 12])
        #expect(takeUp(&log) == [])
        #expect(log.held == 5..<13)
    }

    @Test("a list that says that there is more is as good as a hole")
    func listed() {
        var log = log(holding: 1..<11)
        log.recordEnd(epoch: "one", lastSeq: 10)
        #expect(log.want == nil)
        log.recordEnd(epoch: "one", lastSeq: 12)
        #expect(log.want == .after(10))
    }

    @Test("another epoch is asked for before anything is given up, and stands if history says so")
    func otherEpoch() {
        var log = log(holding: 1..<11)
        log.receive(Position(4, epoch: "two"))
        #expect(log.want == .newest)
        #expect(log.held == 1..<11)
        let outcome = log.merge(page(1...4, lastSeq: 4, epoch: "two"), for: .newest)
        #expect(outcome == .init(isProgress: true))
        #expect(log.epoch == "two")
        #expect(takeUp(&log) == [1, 2, 3, 4])
    }

    @Test("another epoch that history does not know changes nothing")
    func falseEpoch() {
        var log = log(holding: 1..<11)
        log.recordEnd(epoch: "two", lastSeq: 3)
        let outcome = log.merge(page(1...10, lastSeq: 10), for: .newest)
        #expect(outcome == .init(isProgress: true))
        #expect(log.held == 1..<11)
        #expect(log.want == nil)
    }

    @Test("a page of another epoch than the one that was asked after makes the newest be asked for")
    func epochChangedMeanwhile() {
        var log = log(holding: 1..<11)
        log.receive(Position(13))
        _ = log.merge(page(11...12, lastSeq: 12, epoch: "two"), for: .after(10))
        #expect(log.want == .newest)
        #expect(log.held == 1..<11)
    }

    @Test("a page that brings nothing of what is missing is no progress", arguments: [nil, 12...20])
    func noProgress(seqs: ClosedRange<Int>?) {
        var log = log(holding: 1..<11)
        log.receive(Position(13))
        let outcome = log.merge(page(seqs, lastSeq: 20), for: .after(10))
        #expect(outcome.isProgress == false)
        #expect(takeUp(&log) == [])
    }

    @Test("older records join from where the range begins, and no farther than they reach without a hole")
    func older() {
        var log = log(holding: 50..<61)
        let joined = log.mergeOlder(page(30...49, lastSeq: 60))
        #expect(joined.map(\.seq) == Array(30...49))
        #expect(log.held == 30..<61)
        let apart = log.mergeOlder(page(10...20, lastSeq: 60))
        let foreign = log.mergeOlder(page(25...29, lastSeq: 60, epoch: "two"))
        #expect(apart.isEmpty && foreign.isEmpty)
        #expect(log.held == 30..<61)
    }

    @Test("no more than so many records wait; those that are dropped are asked for when their turn comes")
    func bounded() {
        var log = log(holding: 1..<2)
        let last = Log.capacity * 2
        for seq in stride(from: last, to: 2, by: -1) { log.receive(Position(seq)) }
        _ = log.merge(page(2...2, lastSeq: last), for: .after(1))
        let taken = takeUp(&log)
        #expect(taken.count == Log.capacity)
        #expect(log.want == .after(taken.count + 1))
    }

    @Test("numbers that no log reaches are passed over", arguments: [Int.min, -1, 0, (1 << 53) + 1, .max])
    func absurd(seq: Int) {
        var log = log(holding: 1..<11)
        log.receive(Position(seq))
        #expect(log.want == nil)
        _ = log.merge(Log.Page(epoch: "one", lastSeq: seq, records: [Position(seq)]), for: .after(10))
        #expect(takeUp(&log) == [])
    }

    @Test("live and fetched records join whatever is lost, doubled, late or restarted in between", arguments: 0..<300)
    func anyInterleaving(seed: UInt64) {
        var world = LogWorld(seed: seed)
        world.run()
        #expect(world.taken == Array(world.first...world.total), "seed \(seed)")
    }
}

/// A gateway's log, a lossy way to a device, and the device's own log.
private struct LogWorld {
    private var generator: Seeded
    private var log = ConversationLog<Position>()
    /// Published so far.
    private(set) var total: Int
    /// What the device has taken up, in order.
    private(set) var taken: [Int] = []
    private var underWay: [Position] = []
    private let pageSize: Int
    private let loss: Double

    init(seed: UInt64) {
        generator = Seeded(seed: seed)
        total = Int.random(in: 1...60, using: &generator)
        pageSize = Int.random(in: 1...20, using: &generator)
        loss = Double.random(in: 0...0.6, using: &generator)
    }

    var first: Int { taken.first ?? 1 }

    mutating func run() {
        for _ in 0..<200 { step() }
        // The way is good at last, and the list says how far it goes.
        log.recordEnd(epoch: "one", lastSeq: total)
        for _ in 0..<1000 where log.want != nil || !log.ready(limit: 1).isEmpty {
            fetch(asOf: total)
            take()
        }
    }

    private mutating func step() {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...3: publish()
        case 4...5: deliver()
        case 6: fetch(asOf: Int.random(in: max(1, total - 3)...total, using: &generator))
        case 7: log = ConversationLog(epoch: log.epoch, held: log.held)
        case 8: log.recordEnd(epoch: "one", lastSeq: Int.random(in: 0...total, using: &generator))
        default: take()
        }
    }

    private mutating func publish() {
        total += 1
        let copies = Double.random(in: 0..<1, using: &generator) < 0.2 ? 2 : 1
        for _ in 0..<copies where Double.random(in: 0..<1, using: &generator) >= loss {
            underWay.append(Position(total))
        }
    }

    private mutating func deliver() {
        underWay.shuffle(using: &generator)
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            if let record = underWay.popLast() { log.receive(record) }
        }
    }

    /// - Parameter newest: as old as the snapshot is from which the page is read.
    private mutating func fetch(asOf newest: Int) {
        guard let want = log.want else { return }
        let seqs =
            switch want {
            case .newest: max(1, newest - pageSize + 1)..<(newest + 1)
            case .after(let seq): (seq + 1)..<max(seq + 1, min(newest, seq + pageSize) + 1)
            }
        let page = ConversationLog.Page(
            epoch: "one", lastSeq: newest, records: seqs.map { Position($0) }.shuffled(using: &generator))
        // A live record overtakes the page.
        if Bool.random(using: &generator), let record = underWay.popLast() { log.receive(record) }
        _ = log.merge(page, for: want)
    }

    private mutating func take() {
        let records = log.ready(limit: Int.random(in: 1...10, using: &generator))
        log.advance(by: records.count)
        taken += records.map(\.seq)
    }
}
