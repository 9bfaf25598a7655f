import Logging
import ParleyProtocol
import ParleyRules
import Platform
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Several gateways on one database, each with clocks of its own that the test moves.
@Suite(
    "The clocks of several gateways",
    .enabled(if: TestedEngine.hasCells, "PostgreSQL is not built in or not installed"))
struct SharedClockTests {
    private static let hour: Int64 = 3_600_000

    private let database: any SharedDatabase

    init() throws { database = try TestedEngine.makeSharedDatabase() }

    /// A machine with a gateway.
    private final class Machine: Sendable {
        let store: Store
        let clock: MachineClock
        private let reading: Monitor<ClockReading>

        /// - Parameter ahead: of its time of day.
        init(_ store: Store, ahead: Int64 = 0, sinceBoot: Int64) throws {
            let reading = Monitor(
                ClockReading(wall: Timestamp.systemNow.advanced(byMilliseconds: ahead), sinceBoot: sinceBoot))
            (self.store, self.reading) = (store, reading)
            clock = MachineClock(boot: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
                reading.withLock { $0 }
            }
            try clock.resume(from: store)
        }

        /// Time passes on this machine.
        func run(_ milliseconds: Int64) {
            reading.withLock { last in
                last = ClockReading(
                    wall: last.wall.advanced(byMilliseconds: milliseconds), sinceBoot: last.sinceBoot + milliseconds)
            }
            _ = clock.moment
        }

        /// Its time of day is set.
        func step(by milliseconds: Int64) {
            reading.withLock { last in
                last = ClockReading(wall: last.wall.advanced(byMilliseconds: milliseconds), sinceBoot: last.sinceBoot)
            }
            _ = clock.moment
        }

        /// What each cell does once a second.
        func share() throws { try clock.keepUp(with: try #require(store.cells)) }

        var steady: Timestamp { clock.moment.steady }
    }

    private func machine(_ cell: String, ahead: Int64 = 0, sinceBoot: Int64 = 5_000) throws -> Machine {
        try Machine(try database.open(cell: cell), ahead: ahead, sinceBoot: sinceBoot)
    }

    /// By how many milliseconds the second is ahead of the first.
    private func distance(_ one: Machine, _ other: Machine) -> Int64 {
        other.steady.milliseconds - one.steady.milliseconds
    }

    @Test("a cell whose clock was an hour ahead when it began removes nothing of others before its time")
    func clockAhead() throws {
        let (one, two) = (try machine("one"), try machine("two", ahead: Self.hour, sinceBoot: 9_000_000))
        #expect(abs(distance(one, two)) < 10_000)
        // It is set right, and followed.
        two.step(by: -Self.hour)
        for machine in [one, two] { for _ in 0..<400 { machine.run(1000) } }
        for machine in [one, two] { try machine.share() }
        #expect(abs(distance(one, two)) < 10_000)
        #expect(two.clock.now < Timestamp.systemNow.advanced(byMilliseconds: 500_000))

        let test = try TestWriter(on: one.store)
        test.writer.clockOffset = one.clock.moment.clockOffset
        let conversation = try test.conversation(["alice", "bob"])
        let outcome = test.carryOut([try send(conversation, expiresIn: 3600)], now: one.clock.now)
        #expect(outcome.isCommitted)
        let writer = try test.anotherWriter(on: two.store)
        func contents(after milliseconds: Int64) throws -> String? {
            two.run(milliseconds)
            writer.clockOffset = two.clock.moment.clockOffset
            writer.run(ExpiryDuty.self, now: two.clock.now)
            return try test.text("SELECT count(content) FROM records")
        }
        #expect(try contents(after: 0) == "1")
        #expect(try contents(after: Self.hour - 20_000) == "1")
        #expect(try contents(after: 40_000) == "0")
    }

    @Test("a machine that has stood still catches up, and the others go on as they were")
    func stoodStill() throws {
        let (one, two) = (try machine("one"), try machine("two", sinceBoot: 0))
        one.run(Self.hour)
        let before = one.steady
        try one.share()
        try two.share()
        #expect(one.steady == before && two.steady == before)
        // The time of day is set right afterwards: that is no time that passes.
        two.step(by: Self.hour)
        for machine in [one, two] {
            for _ in 0..<400 { machine.run(1000) }
            try machine.share()
        }
        #expect(distance(one, two) == 0)
    }

    @Test("no step of a machine's time of day moves the steady time of any", arguments: [-hour, hour, 90_000 * hour])
    func steps(_ step: Int64) throws {
        let (one, two) = (try machine("one"), try machine("two"))
        let (first, second) = (one.steady, two.steady)
        two.step(by: step)
        for machine in [one, two] {
            for _ in 0..<400 { machine.run(1000) }
            try machine.share()
        }
        #expect(one.steady.milliseconds - first.milliseconds - 400_000 < 10_000)
        #expect(two.steady.milliseconds - second.milliseconds == 400_000)
    }

    @Test("a cell that begins goes on from where the others are, whatever its clock says", arguments: [-hour, 0, hour])
    func beginning(ahead: Int64) throws {
        let one = try machine("one")
        one.run(7 * Self.hour)
        try one.share()
        #expect(try (0..<10_000).contains(distance(one, machine("two", ahead: ahead))))
        // It comes back, too.
        try one.store.close()
        #expect(try (0..<20_000).contains(distance(one, machine("one", ahead: ahead))))
    }

    @Test("cells that each had a steady time of their own go on from the one by which nothing ends early")
    func upgrade() throws {
        let (store, other) = (try database.open(cell: "one"), try database.open(cell: "two"))
        let now = Timestamp.systemNow
        for (store, offset) in [(store, 5 * Self.hour), (other, -Self.hour)] {
            try store.write {
                try $0.clock.store(StoredClock(boot: nil, bootOffset: nil, clockOffset: offset, lastTime: now))
            }
            try store.close()
        }
        let expected = now.milliseconds - 5 * Self.hour
        for cell in ["two", "one"] {
            let steady = try machine(cell, ahead: Self.hour).steady
            #expect((0..<20_000).contains(steady.milliseconds - expected))
        }
    }
}
