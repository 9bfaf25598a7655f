import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@Suite("Rates that several gateways count", .seeded)
struct SharedRatesTests {
    private static let rate = Rate(burst: 120, perSecond: 40)

    /// Gateways and what they share, whose users are numbers.
    private struct Gateways {
        private var gateways: [SharedRates<Int>]
        /// When the bucket of all is full, in microseconds.
        private var shared: [Int: Int64] = [:]
        private(set) var writes = 0

        init(_ count: Int, _ rate: Rate = SharedRatesTests.rate) {
            gateways = (0..<count).map { _ in SharedRates(rate) }
        }

        /// Whether a request passes at one of them. What it is to tell is told at once.
        mutating func passes(_ user: Int, at index: Int, _ time: Int64, isShared: Bool = true) -> Bool {
            guard gateways[index].consume(user, now: at(time), isShared: isShared) == nil else { return false }
            for spent in gateways[index].drainDue() {
                let now = time * 1000
                let fullAt = max(shared[spent.key] ?? now, now) + spent.time
                shared[spent.key] = fullAt
                writes += 1
                gateways[index].merge(SharedRates.Spending(key: spent.key, time: fullAt - now), now: at(time))
            }
            return true
        }
    }

    @Test("who goes to several at once has the burst and a quarter of it at each", arguments: [1, 2, 4, 8])
    func burstTogether(count: Int) {
        var gateways = Gateways(count)
        var passed = 0
        for _ in 0..<200 { for index in 0..<count where gateways.passes(0, at: index, 0) { passed += 1 } }
        #expect(passed >= 120 && passed <= 120 + count * 31)
        // A user of one gateway loses nothing by the others.
        #expect((0..<120).allSatisfy { _ in gateways.passes(1, at: 0, 0) })
    }

    @Test("who goes on at several at once has the rate, and a 64th of it at each", arguments: [1, 2, 4, 8, 32])
    func rateTogether(count: Int) {
        var gateways = Gateways(count)
        var passed = 0
        let seconds = 60
        for time in 0..<Int64(seconds * 1000) {
            for index in 0..<count where gateways.passes(0, at: index, time) { passed += 1 }
        }
        let most = 120 + count * 31 + seconds * 40 * (64 + count) / 64 + count
        #expect(passed >= seconds * 40 && passed <= most, "\(passed) of \(most)")
    }

    @Test("without others nothing is told, and the whole limit is there")
    func alone() {
        var gateways = Gateways(1)
        let passed = (0..<200).count { _ in gateways.passes(0, at: 0, 0, isShared: false) }
        #expect(passed == 120 && gateways.writes == 0)
    }

    @Test("who is never busy is never told of, and who is busy once in thirty requests")
    func writesAreFew() {
        var gateways = Gateways(2)
        // One every two seconds for an hour, and some at once now and then.
        for second in stride(from: Int64(0), to: 3600, by: 2) {
            let count = second % 600 == 0 ? 21 : 1
            let passed = (0..<count).count { _ in gateways.passes(0, at: 0, second * 1000) }
            #expect(passed == count)
        }
        #expect(gateways.writes == 0)
        var passed = 0
        for time in 0..<Int64(60_000) where gateways.passes(1, at: 0, time) { passed += 1 }
        #expect(gateways.writes > passed / 35 && gateways.writes <= passed / 31)
    }

    @Test("what others tell empties a bucket, never fills one, and is forgotten with time")
    func merging() {
        var rates = SharedRates<Int>(Self.rate)
        rates.merge(SharedRates.Spending(key: 0, time: 120 * 25_000), now: at(0))
        #expect(rates.consume(0, now: at(0), isShared: true) == 25)
        rates.merge(SharedRates.Spending(key: 0, time: -5), now: at(0))
        #expect(rates.consume(0, now: at(0), isShared: true) == 25)
        #expect(rates.consume(0, now: at(25), isShared: true) == nil)
        // Nonsense is bounded by ten bursts.
        rates.merge(SharedRates.Spending(key: 1, time: .max), now: at(25))
        #expect(rates.consume(1, now: at(25), isShared: true) == 1081 * 25)
    }
}
