import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What becomes of boards by time alone. It is Thursday, 2026-01-15, 09:00 UTC.
@Suite("Weeks that end, and streaks that do")
struct WeekRolloverTests {
    private let world: BoardWorld

    init() throws { world = try BoardWorld() }

    private func weeks(_ world: BoardWorld) -> [String] {
        world.published("week.ended").compactMap { $0.data["week"] as? String }
    }

    private func week(_ board: Published) -> String? { board.data["week"] as? String }

    @Test("a week ends at midnight, once, and the next begins with the streaks that go on")
    func turn() throws {
        let monday = try instant("2026-01-19T00:00:00.000Z")
        try world.move(to: monday.advanced(by: .seconds(-3600)))
        try world.log("alice")
        try world.log("bob", at: world.now.advanced(by: .days(-1)))
        try world.pass(.seconds(2))
        try world.move(to: monday.advanced(byMilliseconds: -1))
        #expect(weeks(world) == [])
        _ = world.published("leaderboard.updated")
        try world.move(to: monday)
        let ended = world.published("week.ended")
        #expect(ended.map(\.topic) == ["parley/v1/groups/\(world.group)/events"])
        #expect(ended.first?.data["week"] as? String == "2026-W03")
        #expect(ended.first?.data["closes_at"] as? String == "2026-01-19T12:00:00.000Z")
        let boards = world.published("leaderboard.updated")
        #expect(boards.map(week) == ["2026-W04", "2026-W04"])
        #expect(boards.map(\.lines).sorted { $0.count < $1.count } == [[], ["1 alice 1"]])
        // Bob's streak was over at the end of Sunday, and stands in the week that has ended.
        #expect(try world.lines(.streak, week: "2026-W03") == ["1 bob 1", "1 alice 1"])
        try world.pass(.seconds(3600))
        #expect(weeks(world) == [] && world.published("leaderboard.updated").isEmpty)
    }

    @Test("a week takes what comes late until it is closed, and then is final")
    func finality() throws {
        let sunday = try instant("2026-01-18T20:00:00.000Z")
        try world.move(to: try instant("2026-01-19T11:59:50.000Z"))
        try world.move(to: try instant("2026-01-19T11:59:59.999Z"))
        _ = world.published("leaderboard.updated")
        let reply = try world.log("alice", at: sunday)
        #expect(reply.data["week"] as? String == "2026-W03")
        #expect(reply.data["check_ins"] as? Int == 1 && reply.data["streak_days"] as? Int == 1)
        #expect(try world.lines(.checkIns, week: "2026-W03") == ["1 alice 1"])
        #expect(try world.lines(.checkIns) == [])
        #expect(try world.lines(.streak) == ["1 alice 1"])
        // The topic is that of the week that runs, of which the streak has changed.
        #expect(world.published("leaderboard.updated").map(week) == ["2026-W04"])
        try world.pass(.milliseconds(1))
        #expect(try world.get(.checkIns, week: "2026-W03").data["is_final"] as? Bool == true)
        #expect(try world.log("bob", at: sunday).code == "week_closed")
        #expect(try world.lines(.checkIns, week: "2026-W03") == ["1 alice 1"])
    }

    @Test("what is taken back from a final week leaves its board as it is")
    func deletionFromFinal() throws {
        let id = WorkoutID.random()
        try world.log("alice", id: id)
        try world.move(to: at(.days(6)))
        #expect(try world.delete("alice", id).isOK == true)
        #expect(try world.lines(.checkIns, week: "2026-W03") == ["1 alice 1"])
    }

    @Test("a streak is over at the midnight of where its last workout was done")
    func lapse() throws {
        try world.log("alice", zone: "Pacific/Honolulu")
        try world.log("bob", zone: "Pacific/Auckland")
        try world.pass(.seconds(2))
        // It is 2026-01-14 in Honolulu, and 2026-01-15 in Auckland, 13 hours ahead.
        try world.move(to: try instant("2026-01-16T09:59:59.999Z"))
        #expect(try world.lines(.streak) == ["1 alice 1", "1 bob 1"])
        _ = world.published("leaderboard.updated")
        try world.pass(.milliseconds(1))
        #expect(try world.lines(.streak) == ["1 bob 1"])
        #expect(world.published("leaderboard.updated").map(\.lines) == [["1 bob 1"]])
        try world.move(to: try instant("2026-01-16T10:59:59.999Z"))
        #expect(try world.lines(.streak) == ["1 bob 1"])
        try world.pass(.milliseconds(1))
        #expect(try world.lines(.streak) == [])
    }

    @Test("a group's weeks begin at the midnight of its zone, also where clocks change")
    func zone() throws {
        let world = try BoardWorld("America/Santiago", now: try instant("2026-04-01T12:00:00.000Z"))
        // Clocks go back on Saturday, 2026-04-04, at midnight: the week has an hour more.
        #expect(try world.get(.streak).data["starts_at"] as? String == "2026-03-30T03:00:00.000Z")
        #expect(try world.get(.streak).data["ends_at"] as? String == "2026-04-06T04:00:00.000Z")
        try world.move(to: try instant("2026-04-06T03:59:59.999Z"))
        #expect(weeks(world) == [])
        try world.pass(.milliseconds(1))
        #expect(weeks(world) == ["2026-W14"])
    }

    @Test("weeks that ended while the gateway was down end when it starts, once each")
    func downTime() throws {
        try world.log("alice")
        _ = world.published("leaderboard.updated")
        try world.restart(at: at(.days(16)))
        #expect(weeks(world) == ["2026-W03", "2026-W04"])
        #expect(world.published("leaderboard.updated").map(week) == ["2026-W05", "2026-W05"])
        #expect(try world.lines(.checkIns, week: "2026-W03") == ["1 alice 1"])
        #expect(try world.lines(.checkIns, week: "2026-W04") == [])
        try world.restart(at: at(.days(16)).advanced(by: .seconds(60)))
        #expect(weeks(world) == [])
        // What would be removed at once is not made.
        try world.restart(at: at(.days(3650)))
        #expect(weeks(world).count < 20)
        let boards = try world.test.text("SELECT count(*) < 40 FROM boards")
        #expect(boards == "1")
    }

    @Test("a clock that runs ahead closes nothing that does not open again when it comes back")
    func clockAhead() throws {
        try world.log("alice")
        try world.log("bob", at: at(.days(-1)))
        let before = (try world.lines(.checkIns), try world.lines(.streak))
        _ = world.published("leaderboard.updated")
        try world.move(to: at(.days(365)), isSet: true)
        #expect(weeks(world).first == "2026-W03")
        #expect(try world.lines(.streak) == [])
        #expect(try world.log("bob", at: at(1)).code == "week_closed")
        _ = world.published("leaderboard.updated")
        try world.move(to: at(.seconds(60)), isSet: true)
        #expect(try world.lines(.checkIns) == before.0)
        #expect(try world.lines(.streak) == before.1)
        #expect(try world.get(.checkIns, week: "2026-W03").data["is_final"] as? Bool == false)
        #expect(world.published("leaderboard.updated").allSatisfy { week($0) == "2026-W03" })
        #expect(try world.log("bob", at: at(1)).isOK == true)
        #expect(try world.lines(.checkIns) == ["1 bob 2", "2 alice 1"])
        // The week ends in its time.
        try world.move(to: at(.days(5)))
        #expect(weeks(world) == ["2026-W03"])
        #expect(try world.get(.checkIns).data["week"] as? String == "2026-W04")
    }

    @Test("streaks that seemed over within a week go on when the clock comes back, also over a start")
    func clockAheadWithinWeek() throws {
        for isRestarted in [false, true] {
            try world.log("alice")
            try world.move(to: at(.days(3)), isSet: true)
            #expect(try world.lines(.streak) == [])
            let back = at(.seconds(60))
            if isRestarted {
                try world.restart(at: back, isSet: true)
            } else {
                try world.move(to: back, isSet: true)
            }
            #expect(try world.lines(.streak) == ["1 alice 1"])
        }
    }

    @Test("boards are kept for 90 days after their week by a time that nobody sets")
    func removal() throws {
        try world.log("alice")
        try world.move(to: at(.days(200)), isSet: true)
        try world.move(to: at(0), isSet: true)
        #expect(try world.lines(.checkIns, week: "2026-W03") == ["1 alice 1"])
        let end = try instant("2026-01-19T00:00:00.000Z").advanced(by: .days(90))
        try world.move(to: end.advanced(byMilliseconds: -1))
        #expect(try world.lines(.checkIns, week: "2026-W03") == ["1 alice 1"])
        try world.pass(.milliseconds(1))
        #expect(try world.get(.checkIns, week: "2026-W03").code == "not_found")
        #expect(try world.get(.checkIns, week: "2026-W04").isOK == true)
    }

    @Test("a board that was made while the clock was ahead is kept for as long as any other")
    func removalOfBoardsMadeAhead() throws {
        let week = WeekPeriods.period(at: at(.days(60)), in: "UTC")
        try world.move(to: at(.days(60)), isSet: true)
        #expect(try world.get(.checkIns, week: week.week.description).isOK == true)
        try world.move(to: at(0), isSet: true)
        try world.move(to: at(.days(60)))
        try world.log("alice")
        try world.move(to: week.endsAt.advanced(by: .days(90) - .milliseconds(1)))
        #expect(try world.lines(.checkIns, week: week.week.description) == ["1 alice 1"])
        try world.pass(.milliseconds(1))
        #expect(try world.get(.checkIns, week: week.week.description).code == "not_found")
    }

    @Test("a year goes by: every week ends once, and boards stand as whoever counts by hand finds them", .seeded)
    func aYear() throws {
        let world = try BoardWorld("Europe/Berlin")
        var random = Seeded(stream: 88)
        var times: [Timestamp] = []
        var ended: [String] = []
        let end = at(.days(366))
        while world.now < end {
            // Alice misses a day now and then; nobody sleeps longer than a day.
            try world.move(to: world.now.advanced(byMilliseconds: Int64(random.number(1...24)) * 3_600_000))
            if random.chance(0.02) { try world.restart(at: world.now) }
            if random.chance(0.6) {
                try world.log("alice", zone: "Europe/Berlin")
                times.append(world.now)
            }
            ended += weeks(world)
            let week = try #require(try world.get(.checkIns).data["week"] as? String)
            let period = WeekPeriods.period(at: world.now, in: "Europe/Berlin")
            #expect(week == period.week.description)
            let count = times.count { period.contains($0) }
            #expect(try world.lines(.checkIns) == (count > 0 ? ["1 alice \(count)"] : []), "\(world.now)")
            let zone = try #require(CivilZones.zone("Europe/Berlin"))
            let days = Set(times.map(zone.day))
            let today = zone.day(at: world.now)
            var last = days.contains(today) ? today : today.advanced(byDays: -1)
            var streak = 0
            while days.contains(last) { (streak, last) = (streak + 1, last.advanced(byDays: -1)) }
            #expect(try world.lines(.streak) == (streak > 0 ? ["1 alice \(streak)"] : []), "\(world.now)")
        }
        #expect(ended.count >= 52 && Set(ended).count == ended.count && ended == ended.sorted())
    }
}
