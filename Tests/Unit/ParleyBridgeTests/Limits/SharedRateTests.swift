import MQTTClient
import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite(
    "Rates of requests over several gateways",
    .enabled(if: TestedEngine.hasCells, "PostgreSQL is not built in or not installed"))
struct SharedRateTests {
    private let database: any SharedDatabase
    private let stores: [Store]

    init() throws {
        database = try TestedEngine.makeSharedDatabase()
        let stores = try ["one", "two"].map(database.open(cell:))
        self.stores = stores
        _ = try TestWriter(on: stores[0])
    }

    /// How many of so many requests pass at an ingress.
    private func passed(_ count: Int, at ingress: inout Ingress) -> Int {
        (0..<count).count { number in
            var batch = InboundBatch()
            // Each by another device: they are limited for themselves, too.
            batch.add("parley/v1/up/alice/d\(number)/profile/get", Array("{}".utf8))
            guard case .query = ingress.judge(batch.messages[0], in: batch, now: at(0)) else { return false }
            return true
        }
    }

    @Test("what a user has spent at one gateway they do not have at the other")
    func spentTogether() throws {
        var ingresses = try stores.map { _ in Ingress(Settings(), try OperationHandlers()) }
        func share(_ index: Int) throws {
            guard let cells = stores[index].cells else { return }
            ingresses[index].merge(try cells.share(ingresses[index].drainSpendings()), now: at(0))
        }
        for index in ingresses.indices { ingresses[index].isShared = true }
        // A user has twice a device's burst of 60, and tells of 31 at once.
        #expect(passed(200, at: &ingresses[0]) == 120)
        try share(0)
        #expect(passed(31, at: &ingresses[1]) == 31)
        try share(1)
        #expect(passed(200, at: &ingresses[1]) <= 5)
    }

    @Test("the clock of the server counts alone, and who is gone has spent nothing")
    func byTheServersClock() throws {
        let cells = try stores.map { try #require($0.cells) }
        let spent = RateSpending(user: "alice", area: "messages", time: 1_000_000)
        let nobody = RateSpending(user: "nobody", area: "messages", time: 1_000_000)
        let first = try cells[0].share([nobody, spent])
        #expect(first.map(\.user) == ["alice"])
        let second = try #require(try cells[1].share([spent]).first)
        // Less what came back between the two.
        #expect((1_000_000...2_000_000).contains(second.time))
        let other = try #require(
            try cells[1].share([RateSpending(user: "alice", area: "profile", time: 5)]).first)
        #expect(other.time <= 5)
    }

    @Test("gateways know the time of the server, whatever their own clocks say")
    func serverTime() throws {
        let cells = try stores.map { try #require($0.cells) }
        let asked = try stores[0].read { snapshot in
            let rows = try snapshot.remoteRows(
                "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)", [])
            return rows.next() ? rows.time(0) : at(0)
        }
        for cell in cells {
            try cell.extendLease()
            // The rest is how long this took.
            #expect(
                (.zero...Duration.seconds(30)).contains(asked.advanced(byMilliseconds: -1000).duration(to: cell.time)))
        }
    }

    @Test("what is on its way between the threads is bounded")
    func exchangeIsBounded() {
        let exchange = RateExchange()
        let spent = RateSpending(user: "alice", area: "messages", time: 1)
        for _ in 0..<3 { exchange.add(Array(repeating: spent, count: 4000)) }
        var count = 0
        while true {
            let some = exchange.drainOwn(limit: 64)
            exchange.record(some)
            exchange.record(some)
            count += some.count
            if some.isEmpty { break }
        }
        #expect(count == 4096)
        #expect(exchange.drainAll().count == 4096 && exchange.drainAll().isEmpty)
    }
}
