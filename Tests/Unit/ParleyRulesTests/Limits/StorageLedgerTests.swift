import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@Suite("What a user has stored today", .seeded)
struct StorageLedgerTests {
    private let alice = UserID(validated: "alice")
    private let bob = UserID(validated: "bob")
    /// A second before midnight.
    private let evening = Timestamp(milliseconds: 1_768_521_599_000)

    private func ledger(_ limit: Int = 10_240, stored: Int = 0) -> StorageLedger {
        var ledger = StorageLedger(bytesPerDay: limit)
        ledger.begin(at: evening)
        ledger.load(alice, stored: stored)
        return ledger
    }

    private func hasRoom(_ ledger: StorageLedger, for bytes: Int) -> Bool {
        (try? ledger.checkRoom(for: bytes, of: alice)) != nil
    }

    @Test("a user has room up to the limit, together with what the transaction has charged so far")
    func roomUpToTheLimit() {
        var ledger = ledger()
        #expect(hasRoom(ledger, for: 10_240) && !hasRoom(ledger, for: 10_241))
        ledger.charge(10_000, to: alice)
        #expect(hasRoom(ledger, for: 240) && !hasRoom(ledger, for: 241))
        ledger.charge(.max, to: alice)
        ledger.charge(.max, to: alice)
        #expect(!hasRoom(ledger, for: 1) && !hasRoom(ledger, for: .max))
    }

    @Test("a limit that is lowered is not spent by the number of a higher one")
    func loweredLimit() {
        var high = ledger(1 << 40)
        high.charge(100, to: alice)
        #expect(high.dueAdditions.map(\.bytes) == [256 << 10])
    }

    @Test("whoever has no room is told when the day is over")
    func refusalSaysWhenDayEnds() throws {
        var ledger = ledger()
        ledger.charge(10_240, to: alice)
        let rejection = #expect(throws: Rejection.self) { try ledger.checkRoom(for: 1, of: alice) }
        #expect(rejection?.code == .rateLimited && rejection?.retryAfterMilliseconds == 1000)
        ledger.load(bob, stored: 0)
        try ledger.checkRoom(for: 10_240, of: bob)
    }

    @Test("what is not committed does not count")
    func uncommittedDoesNotCount() {
        var ledger = ledger()
        ledger.charge(10_240, to: alice)
        ledger.begin(at: evening)
        #expect(hasRoom(ledger, for: 10_240))
        ledger.charge(10_240, to: alice)
        ledger.recordCommit()
        ledger.begin(at: evening)
        #expect(!hasRoom(ledger, for: 1))
    }

    @Test("another day begins with nothing, also one that was before")
    func otherDayBeginsWithNothing() {
        var ledger = ledger()
        ledger.charge(10_240, to: alice)
        ledger.recordCommit()
        let day = ledger.day
        ledger.begin(at: evening.advanced(byMilliseconds: 999))
        #expect(ledger.day == day && !ledger.needsLoading(alice))
        ledger.begin(at: evening.advanced(byMilliseconds: 1000))
        #expect(ledger.day == day + 1 && ledger.needsLoading(alice))
        ledger.begin(at: evening)
        #expect(ledger.day == day && ledger.needsLoading(alice))
        ledger.begin(at: Timestamp(milliseconds: -1))
        #expect(ledger.day == -1)
        ledger.begin(at: Timestamp(milliseconds: 0))
        #expect(ledger.day == 0)
    }

    @Test("the number to be written is seldom due, and never behind what was counted nor a step ahead of it")
    func writtenSeldomAndInTime() {
        var random = Seeded(stream: 71)
        let (limit, step) = (1_024_000, 1000)
        var ledger = ledger(limit)
        var (counted, stored, writes) = (0, 0, 0)
        for _ in 0..<5000 {
            ledger.begin(at: evening)
            var charged = 0
            for _ in 0..<random.number(0...3) {
                let bytes = random.number(1...60)
                ledger.charge(bytes, to: alice)
                charged += bytes
            }
            let due = ledger.dueAdditions.first
            guard random.chance(0.9) else { continue }
            if let due {
                #expect(due.user == alice && due.bytes % step == 0)
                stored += due.bytes
                writes += 1
            }
            ledger.recordCommit()
            counted += charged
            #expect(stored >= counted && stored < counted + step)
        }
        #expect(writes <= counted / step + 1)
    }

    @Test("several gateways give a user a step each above the limit at most, and none less than the limit together")
    func sharedLimit() {
        var random = Seeded(stream: 72)
        let (limit, step) = (1_024_000, 1000)
        var ledgers = (0..<4).map { _ in
            var ledger = StorageLedger(bytesPerDay: limit, isShared: true)
            ledger.begin(at: evening)
            return ledger
        }
        var (counted, stored, reads) = (0, 0, 0)
        var full: Set<Int> = []
        while full.count < ledgers.count {
            let index = random.number(0...ledgers.count - 1)
            let bytes = random.number(1...300)
            ledgers[index].begin(at: evening)
            if ledgers[index].needsLoading(alice) {
                ledgers[index].load(alice, stored: stored)
                reads += 1
            }
            guard hasRoom(ledgers[index], for: bytes) else {
                full.insert(index)
                continue
            }
            ledgers[index].charge(bytes, to: alice)
            for due in ledgers[index].dueAdditions { stored += due.bytes }
            ledgers[index].recordCommit()
            counted += bytes
        }
        #expect(counted <= limit + ledgers.count * step && stored >= counted)
        #expect(counted > limit - ledgers.count * (step + 300))
        #expect(reads <= stored / step + ledgers.count)
    }
}
