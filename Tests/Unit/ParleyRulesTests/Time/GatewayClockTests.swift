import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

/// The gateway's clock, with time that passes and a time of day that is set as a script says.
@Suite("The gateway's clock")
struct GatewayClockTests {
    private static let year: Int64 = 365 * 86_400_000
    private static let minute: Int64 = 60_000

    /// A machine, read once a second.
    private struct Machine {
        private(set) var clock: GatewayClock
        private var wall = at(0)
        private var sinceBoot: Int64 = 77_000
        private(set) var events: [GatewayClock.Event] = []
        private(set) var moments: [GatewayClock.Moment] = []

        init(steady: Timestamp = at(0)) {
            clock = GatewayClock(ClockReading(wall: at(0), sinceBoot: 77_000), steady: steady)
        }

        /// The time of day is set.
        mutating func step(by milliseconds: Int64) { wall = wall.advanced(byMilliseconds: milliseconds) }

        /// So much time passes, in whole seconds; of each second the time of day gains so much.
        mutating func run(_ milliseconds: Int64, gaining drift: Int64 = 0) {
            read()
            for _ in 0..<milliseconds / 1000 {
                sinceBoot += 1000
                wall = wall.advanced(byMilliseconds: 1000 + drift)
                read()
            }
        }

        mutating func read() {
            let (moment, event) = clock.read(ClockReading(wall: wall, sinceBoot: sinceBoot))
            moments.append(moment)
            if let event { events.append(event) }
        }

        /// What the gateway says now, in milliseconds since the beginning, beside how much time has passed.
        var ahead: Int64 { (moments.last?.now.milliseconds ?? 0) - at(0).milliseconds - elapsed }
        var behindWall: Int64 { wall.milliseconds - (moments.last?.now.milliseconds ?? 0) }
        var elapsed: Int64 { sinceBoot - 77_000 }
        /// Its time has never run back.
        var isMonotonic: Bool { zip(moments, moments.dropFirst()).allSatisfy { $0.now <= $1.now } }
    }

    struct Step: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// How far the time of day is set, how long that stands until it is set back, and how long is waited then.
        let step: Int64
        let standing: Int64
        let waiting: Int64
        /// How far the gateway's time is ahead of what has passed, before the setting back and at the end.
        let ahead: (Int64, Int64)
        let events: [GatewayClock.Event]
    }

    @Test(
        "a step of the time of day is followed by what it is and how long it has stood",
        arguments: [
            Step(
                testDescription: "a second forward is followed at once", step: 1000, standing: 1000, waiting: 0,
                ahead: (1000, 1000), events: []),
            Step(
                testDescription: "more is held back", step: 1001, standing: 1000, waiting: 1000, ahead: (0, 0),
                events: [.held(by: 1001), .over]),
            Step(
                testDescription: "ten years for four minutes and 59 seconds are none", step: 10 * year,
                standing: 299_000, waiting: minute, ahead: (0, 0), events: [.held(by: 10 * year), .over]),
            Step(
                testDescription: "ten years that have stood for five minutes are followed, and so is the way back",
                step: 10 * year, standing: 300_000, waiting: 300_000, ahead: (10 * year, 0),
                events: [
                    .held(by: 10 * year), .followed(by: 10 * year), .held(by: -10 * year), .followed(by: -10 * year),
                ]),
            Step(
                testDescription: "ten years back for four minutes and 59 seconds are none", step: -10 * year,
                standing: 299_000, waiting: minute, ahead: (0, 0), events: [.held(by: -10 * year), .over]),
            Step(
                testDescription: "ten years back that have stood for five minutes are followed", step: -10 * year,
                standing: 300_000, waiting: 0, ahead: (-10 * year, -10 * year),
                events: [.held(by: -10 * year), .followed(by: -10 * year), .held(by: 10 * year)]),
            Step(
                testDescription: "four minutes back are approached in eight", step: -4 * minute,
                standing: 8 * minute, waiting: 0, ahead: (-4 * minute, -4 * minute), events: [.held(by: 4 * minute)]),
            Step(
                testDescription: "half of the way in half of that", step: -4 * minute, standing: 4 * minute,
                waiting: 0, ahead: (-2 * minute, -2 * minute), events: [.held(by: 2 * minute)]),
            Step(
                testDescription: "five minutes back are the most that is approached", step: -5 * minute - 1,
                standing: 299_000, waiting: 0, ahead: (0, 0), events: [.held(by: -5 * minute - 1), .over]),
        ])
    func steps(_ step: Step) {
        var machine = Machine()
        machine.run(10_000)
        machine.step(by: step.step)
        machine.run(step.standing)
        #expect(machine.ahead == step.ahead.0)
        machine.step(by: -step.step)
        machine.run(step.waiting)
        #expect(machine.ahead == step.ahead.1)
        #expect(machine.events == step.events)
    }

    @Test("it never runs back for a step of minutes")
    func neverRunsBack() {
        var machine = Machine()
        for step: Int64 in [-1, -1000, -60_000, -200_000] {
            machine.step(by: step)
            machine.run(20_000)
        }
        #expect(machine.isMonotonic)
        machine.run(1_000_000)
        #expect(machine.isMonotonic && machine.behindWall == 0 && machine.events.isEmpty)
    }

    @Test("another step begins anew, however long the first has stood")
    func stepBeginsAnew() {
        var machine = Machine()
        machine.step(by: 3_600_000)
        machine.run(299_000)
        machine.step(by: 10 * Self.year)
        machine.run(299_000)
        #expect(machine.ahead == 0)
        machine.run(1000)
        #expect(machine.ahead == 10 * Self.year + 3_600_000)
        #expect(machine.events.count == 3)
    }

    @Test("a step that is being corrected slowly has stood as well", arguments: [Int64(-80), 80])
    func slowly(drift: Int64) {
        var machine = Machine()
        machine.step(by: 3_600_000)
        machine.run(300_000, gaining: drift)
        #expect(machine.ahead == 3_600_000 + 300 * drift && machine.behindWall == 0)
        #expect(machine.events.count == 2)
    }

    @Test("a clock that is only inexact is followed all the time")
    func inexactClockIsFollowed() {
        for drift: Int64 in [-100, -1, 1, 100] {
            var machine = Machine()
            machine.run(3_600_000, gaining: drift)
            #expect(machine.isMonotonic && machine.events.isEmpty && abs(machine.behindWall) <= 100)
        }
    }

    @Test("whatever the time of day is set to, the steady time runs as the machine does", .seeded, arguments: 0..<50)
    func steady(stream: Int) {
        var generator = Seeded(stream: UInt64(stream))
        var machine = Machine(steady: at(-5_000))
        let sizes: [Int] = [500, 5_000, 300_000, 4_000_000, 400_000_000_000]
        for _ in 0..<60 {
            let size = sizes[generator.number(0...4)]
            machine.step(by: Int64(generator.number(-size...size)))
            let before = machine.elapsed
            machine.run(Int64(generator.number(0...400)) * 1000)
            #expect(machine.moments.last?.steady == at(-5_000 + machine.elapsed) && machine.elapsed >= before)
        }
        // Every way back is one that was followed.
        let back = zip(machine.moments, machine.moments.dropFirst()).count { $1.now < $0.now }
        let followed = machine.events.count { event in
            if case .followed(let difference) = event { difference < 0 } else { false }
        }
        #expect(back <= followed)
        // Left alone, it comes to the time of day.
        machine.run(1_000_000)
        #expect(machine.behindWall == 0)
    }

    @Test("the steady time catches up with another machine's, and is never set back")
    func catchesUp() {
        var clock = GatewayClock(ClockReading(wall: at(0), sinceBoot: 1_000), steady: at(0))
        // Two seconds pass, and then one each time.
        let told = [at(1_500), at(3_600_000), at(3_600_000), Timestamp(milliseconds: .min)]
        let found = told.enumerated().map { index, steady in
            _ = clock.read(ClockReading(wall: at(0), sinceBoot: Int64(3_000 + index * 1_000)))
            let behind = clock.catchUp(with: steady)
            let moment = clock.read(ClockReading(wall: at(0), sinceBoot: Int64(3_000 + index * 1_000))).moment
            return (behind: behind, steady: moment.steady)
        }
        #expect(found.map(\.behind) == [0, 3_597_000, 0, 0])
        #expect(found.map(\.steady) == [at(2_000), at(3_600_000), at(3_601_000), at(3_602_000)])
        let far = clock.catchUp(with: Timestamp(milliseconds: .max))
        #expect(far > 0 && far < .max)
    }

    @Test("no reading is out of bounds")
    func readingsInBounds() {
        var clock = GatewayClock(ClockReading(wall: Timestamp(milliseconds: .max), sinceBoot: 0), steady: .latest)
        for (wall, sinceBoot) in [(Int64.min, 5), (.max, 3), (0, 400_000), (.min, 800_000), (.max, 2_000_000)]
            as [(Int64, Int64)]
        {
            let moment = clock.read(ClockReading(wall: Timestamp(milliseconds: wall), sinceBoot: sinceBoot)).moment
            _ = (moment.steady, clock.stored(boot: "run"))
        }
    }
}

/// Where the steady time goes on when the gateway starts.
@Suite("The clock as it is stored")
struct StoredClockTests {
    private static let day: Int64 = 86_400_000
    private static let stored = StoredClock(
        boot: "one", bootOffset: at(0).milliseconds, clockOffset: 5_000, lastTime: at(20_000))

    @Test(
        "in the same run of the machine it has gone on, in another the time of day says by how much",
        arguments: [
            ("one", at(60_000), 50_000, at(45_000)),
            // Whatever the time of day is set to.
            ("one", at(-900 * day), 50_000, at(45_000)), ("one", at(900 * day), 50_000, at(45_000)),
            ("two", at(60_000), 3_000, at(55_000)),
            // It never runs back, and by no more than 31 days.
            ("two", at(-900 * day), 3_000, at(15_000)), ("two", at(20_000 + 31 * day), 3_000, at(15_000 + 31 * day)),
            ("two", at(3_650 * day), 3_000, at(15_000 + 31 * day)), (nil, at(60_000), 3_000, at(55_000)),
        ] as [(String?, Timestamp, Int64, Timestamp)])
    func steady(boot: String?, wall: Timestamp, sinceBoot: Int64, expected: Timestamp) {
        #expect(Self.stored.steady(ClockReading(wall: wall, sinceBoot: sinceBoot), boot: boot) == expected)
    }

    @Test("where nothing is stored it begins with the time of day")
    func beginsWithTimeOfDay() {
        let none = StoredClock(boot: nil, bootOffset: nil, clockOffset: 0, lastTime: nil)
        #expect(none.steady(ClockReading(wall: at(7), sinceBoot: 3), boot: nil) == at(7))
        #expect(none.steady(ClockReading(wall: at(7), sinceBoot: 3), boot: "one") == at(7))
    }

    @Test("what was kept is what goes on")
    func storedClockGoesOn() {
        var clock = GatewayClock(ClockReading(wall: at(0), sinceBoot: 1_000), steady: at(-400))
        _ = clock.read(ClockReading(wall: at(2_500), sinceBoot: 3_000))
        let later = ClockReading(wall: at(1_000_000), sinceBoot: 10_000)
        #expect(clock.stored(boot: "one").steady(later, boot: "one") == at(-400 + 9_000))
        #expect(clock.stored(boot: nil).steady(later, boot: nil) == at(1_000_000 - 900))
    }

    @Test("a damaged row ends nothing")
    func damagedRowEndsNothing() {
        for number in [Int64.min, .max] {
            let stored = StoredClock(
                boot: "one", bootOffset: number, clockOffset: number, lastTime: Timestamp(milliseconds: number))
            for boot in ["one", "two"] {
                let steady = stored.steady(ClockReading(wall: at(0), sinceBoot: 5), boot: boot)
                _ = GatewayClock(ClockReading(wall: at(0), sinceBoot: 5), steady: steady)
            }
        }
    }
}
