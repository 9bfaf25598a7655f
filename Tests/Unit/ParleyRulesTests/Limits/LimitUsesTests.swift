import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("The uses of limits in a transaction")
struct LimitUsesTests {
    private static let rate = Rate(burst: 4, perHour: 4)
    private static let key = LimitKey(.reports, of: UserID(validated: "alice"))
    private static let quarter: Int64 = 900_000

    /// After a transaction in which so many were used.
    ///
    /// - Returns: what is stored; `nil` where nothing was to be written.
    private func stored(_ stored: Int64? = nil, using count: Int, at time: Int64) -> Int64? {
        var uses = LimitUses()
        uses.load(Self.key, stored: stored, ofQueries: 0, Self.rate, now: at(time))
        uses.add(count, to: Self.key, Self.rate, now: at(time))
        return uses.changed.first?.count.bucket.fullAt
    }

    private func wait(_ stored: Int64?, for count: Int = 1, at time: Int64) -> Int? {
        var uses = LimitUses()
        uses.load(Self.key, stored: stored, ofQueries: 0, Self.rate, now: at(time))
        return uses.wait(for: Self.key, count, Self.rate, now: at(time))
    }

    @Test("what was stored counts in the next transaction, and comes back with time")
    func storedCounts() {
        let four = stored(using: 4, at: 0)
        #expect(wait(four, at: 0) == Int(Self.quarter))
        #expect(wait(four, at: Self.quarter - 1) == 1 && wait(four, at: Self.quarter) == nil)
        #expect(wait(four, for: 2, at: Self.quarter) == Int(Self.quarter))
        #expect(wait(four, for: 4, at: 4 * Self.quarter) == nil)
    }

    @Test("what a transaction uses counts in it at once")
    func countsAtOnce() {
        var uses = LimitUses()
        uses.load(Self.key, stored: nil, ofQueries: 0, Self.rate, now: at(0))
        for _ in 0..<4 {
            #expect(uses.wait(for: Self.key, 1, Self.rate, now: at(0)) == nil)
            uses.add(1, to: Self.key, Self.rate, now: at(0))
        }
        #expect(uses.wait(for: Self.key, 1, Self.rate, now: at(0)) != nil)
    }

    @Test("a count that was only looked at is not written")
    func lookedAt() {
        #expect(stored(using: 0, at: 0) == nil)
    }

    @Test("a clock that was set back makes nobody wait for longer than twice the whole limit takes")
    func clockBack() {
        let year: Int64 = 365 * 86_400_000
        let four = stored(using: 4, at: year)
        #expect(wait(four, at: 0) == Int(5 * Self.quarter))
        #expect(wait(.max, at: 0) == Int(5 * Self.quarter))
    }

    @Test("counts are written in one order, whatever order they were used in")
    func inOneOrder() {
        let keys = ["alice", "bob", "carol"].flatMap { user in
            [LimitedUse.reports, .lookups].map { LimitKey($0, of: UserID(validated: user)) }
        }
        func order(_ keys: [LimitKey]) -> [LimitKey] {
            var uses = LimitUses()
            for key in keys { uses.load(key, stored: nil, ofQueries: 1, Self.rate, now: at(0)) }
            return uses.changed.map(\.key)
        }
        #expect(order(keys) == order(keys.reversed()) && order(keys).count == 6)
    }

    // MARK: Queries

    private func isRefused(_ uses: inout UnstoredUses, stored: Int64? = nil, at time: Int64 = 0) -> Bool {
        guard uses.wait(for: Self.key, stored: stored, Self.rate, now: at(time)) == nil else { return true }
        uses.add(Self.key, now: at(time))
        return false
    }

    /// Stores what queries have used, as the writer does.
    private func store(_ unstored: inout UnstoredUses, on stored: Int64?, at time: Int64 = 0) -> Int64? {
        var uses = LimitUses()
        uses.load(
            Self.key, stored: stored, ofQueries: unstored.count(of: Self.key), Self.rate, now: at(time))
        for (key, count) in uses.changed { unstored.recordStored(key, count, now: at(time)) }
        return uses.changed.first?.count.bucket.fullAt
    }

    @Test("what queries use counts before it is stored and after, and once")
    func queriesCountOnce() {
        var unstored = UnstoredUses()
        #expect(!isRefused(&unstored) && !isRefused(&unstored))
        #expect(unstored.next(limit: 9) == [Self.key])
        let two = store(&unstored, on: nil)
        #expect(unstored.isEmpty && two == stored(using: 2, at: 0))
        #expect(!isRefused(&unstored, stored: two) && !isRefused(&unstored, stored: two))
        #expect(isRefused(&unstored, stored: two))
    }

    @Test("a query whose snapshot is older than what was stored finds no room by it")
    func olderSnapshot() {
        var unstored = UnstoredUses()
        for _ in 0..<4 { #expect(!isRefused(&unstored)) }
        let four = store(&unstored, on: nil)
        #expect(isRefused(&unstored, stored: nil) && isRefused(&unstored, stored: four))
        #expect(!isRefused(&unstored, stored: nil, at: Self.quarter))
    }

    @Test("what queries use while the writer stores waits for the next time")
    func usedMeanwhile() {
        var unstored = UnstoredUses()
        #expect(!isRefused(&unstored))
        var uses = LimitUses()
        uses.load(Self.key, stored: nil, ofQueries: 1, Self.rate, now: at(0))
        #expect(!isRefused(&unstored))
        for (key, count) in uses.changed { unstored.recordStored(key, count, now: at(0)) }
        #expect(unstored.count(of: Self.key) == 1 && !unstored.isEmpty)
    }

    @Test("what others have stored counts beside what is not stored here")
    func othersCount() {
        var unstored = UnstoredUses()
        #expect(!isRefused(&unstored) && !isRefused(&unstored))
        let others = stored(using: 2, at: 0)
        #expect(isRefused(&unstored, stored: others))
    }
}
