import Foundation
import ParleyProtocol
import ParleyRules
import TestSupport
import Testing

/// Workouts by hand, with what is remembered of earlier days as the store has it.
private struct Told {
    var workouts: [CountedWorkout] = []

    init(_ times: [(String, String)]) throws {
        for (number, (time, zone)) in times.enumerated() {
            let at = try ParleyRulesTests.time(time)
            workouts.append(
                CountedWorkout(
                    id: WorkoutID(UUIDValue(high: 0, low: UInt64(number))), completedAt: at,
                    day: try ParleyRulesTests.zone(zone).day(at: at), zone: zone))
        }
    }

    func history(_ week: String, in groupZone: String = "UTC", now: String) throws -> WorkoutHistory {
        let period = WeekPeriod(try ParleyRulesTests.week(week), in: try ParleyRulesTests.zone(groupZone))
        let view = BoardView(period, now: try ParleyRulesTests.time(now))
        let before = view.recentFrom.advanced(byDays: -1)
        let days = Set(workouts.map(\.day))
        var (first, last) = (before, before)
        while days.contains(first.advanced(byDays: -1)) { first = first.advanced(byDays: -1) }
        while days.contains(last.advanced(byDays: 1)) { last = last.advanced(byDays: 1) }
        let run = days.contains(before) ? DayRun(first: first, last: last) : nil
        return WorkoutHistory(view, recent: workouts.filter { $0.day > before }, earlier: run)
    }
}

private func known(_ name: String) -> CivilZone? { try? zone(name) }

/// One workout a day at noon UTC, from the first day on.
private func daily(_ first: String, _ count: Int, zone: String = "UTC") throws -> [(String, String)] {
    let day = try day(first)
    return (0..<count).map { ("\(day.advanced(byDays: $0))T12:00:00.000Z", zone) }
}

@Suite("Streaks")
struct StreakTests {
    @Test("counts days in a row up to today or yesterday, and nothing later")
    func upToYesterday() throws {
        let told = try Told(daily("2026-01-12", 3))
        #expect(try told.history("2026-W03", now: "2026-01-14T13:00:00.000Z").streak(known)?.value == 3)
        let yesterday = try told.history("2026-W03", now: "2026-01-15T23:59:59.999Z")
        #expect(yesterday.streak(known)?.value == 3)
        #expect(yesterday.streak(known)?.lapsesAt?.description == "2026-01-16T00:00:00.000Z")
        #expect(try told.history("2026-W03", now: "2026-01-16T00:00:00.000Z").streak(known) == nil)
    }

    @Test(
        "begins before the week and before all that is looked at one by one", arguments: [1, 9, 10, 11, 12, 100, 380])
    func long(_ days: Int) throws {
        let first = try day("2026-01-14").advanced(byDays: 1 - days)
        let told = try Told(daily(first.description, days))
        let score = try told.history("2026-W03", now: "2026-01-14T20:00:00.000Z").streak(known)
        #expect(score?.value == days)
        #expect(score?.reachedAt.description == "2026-01-14T12:00:00.000Z")
    }

    @Test("is broken by a day without a workout, wherever that is", arguments: 1...12)
    func gap(_ ago: Int) throws {
        let all = try daily("2025-12-01", 45)
        let told = try Told(all.enumerated().filter { $0.offset != 44 - ago }.map(\.element))
        #expect(try told.history("2026-W03", now: "2026-01-14T20:00:00.000Z").streak(known)?.value == ago)
    }

    @Test("goes over a leap day, and over the end of February without one")
    func leapDay() throws {
        let leap = try Told(daily("2024-02-27", 4))
        #expect(try leap.history("2024-W09", now: "2024-03-01T13:00:00.000Z").streak(known)?.value == 4)
        let missed = try Told(daily("2024-02-27", 2) + daily("2024-03-01", 1))
        #expect(try missed.history("2024-W09", now: "2024-03-01T13:00:00.000Z").streak(known)?.value == 1)
        let plain = try Told(daily("2026-02-27", 3))
        #expect(try plain.history("2026-W09", now: "2026-03-01T13:00:00.000Z").streak(known)?.value == 3)
    }

    @Test("goes over the end of a year with 53 weeks")
    func yearEnd() throws {
        let told = try Told(daily("2020-12-25", 10))
        #expect(try told.history("2020-W53", now: "2021-01-03T13:00:00.000Z").streak(known)?.value == 10)
    }

    @Test("counts days where clocks go forward and back", arguments: ["2026-03-27", "2026-10-23"])
    func clocks(_ first: String) throws {
        // At 23:30 and 00:30 in Berlin, on turns: never 24 hours apart.
        let zone = try zone("Europe/Berlin")
        let times = try (0..<6).map { number in
            let day = try day(first).advanced(byDays: number)
            let minutes: Int64 = number % 2 == 0 ? 23 * 60 + 30 : 30
            let midnight = zone.beginning(of: day)
            // The day's length may be another.
            let next = zone.beginning(of: day.advanced(byDays: 1))
            let at =
                minutes > 60
                ? next.advanced(byMilliseconds: -1_800_000) : midnight.advanced(byMilliseconds: minutes * 60_000)
            return (at.description, "Europe/Berlin")
        }
        let told = try Told(times)
        let now = try time(times[5].0).advanced(byMilliseconds: 1000)
        let week = WeekPeriod(at: now, in: .utc).week
        #expect(try told.history(week.description, now: now.description).streak(known)?.value == 6)
    }

    @Test("is of the days where each workout was done, and of today where the last one was")
    func travel() throws {
        // Monday evening in Kiritimati is Monday morning in UTC and Sunday in Honolulu.
        let told = try Told([
            ("2026-01-12T05:00:00.000Z", "Pacific/Kiritimati"), ("2026-01-13T08:00:00.000Z", "Pacific/Honolulu"),
        ])
        // Monday there and Monday here: one day.
        #expect(try told.history("2026-W03", now: "2026-01-13T08:00:00.000Z").streak(known)?.value == 1)
        // It is Wednesday 05:00 in UTC, and still Tuesday in Honolulu.
        #expect(try told.history("2026-W03", now: "2026-01-14T05:00:00.000Z").streak(known)?.value == 1)
        #expect(try told.history("2026-W03", now: "2026-01-14T10:00:00.000Z").streak(known) == nil)
    }

    @Test("stands after the week as at its last instant, with what came late")
    func ended() throws {
        let told = try Told(daily("2026-01-14", 4))
        // The last was on Saturday: yesterday, on Sunday evening.
        let later = try told.history("2026-W03", now: "2026-03-01T00:00:00.000Z")
        #expect(later.streak(known)?.value == 4)
        #expect(try told.history("2026-W04", now: "2026-01-19T00:00:00.000Z").streak(known) == nil)
        // What was done in the next week does not lengthen it.
        let on = try Told(daily("2026-01-14", 7))
        #expect(try on.history("2026-W03", now: "2026-01-20T13:00:00.000Z").streak(known)?.value == 5)
        #expect(try on.history("2026-W04", now: "2026-01-20T13:00:00.000Z").streak(known)?.value == 7)
    }

    @Test("counts what a device's clock has done five minutes ahead, and not what is later")
    func ahead() throws {
        let told = try Told([("2026-01-14T12:05:00.000Z", "UTC")])
        #expect(try told.history("2026-W03", now: "2026-01-14T12:00:00.000Z").streak(known)?.value == 1)
        #expect(try told.history("2026-W03", now: "2026-01-14T11:59:59.999Z").streak(known) == nil)
    }
}

@Suite("Check-ins")
struct CheckInTests {
    @Test("counts the workouts in a half-open week, where the group counts it")
    func window() throws {
        let told = try Told([
            ("2026-01-11T22:59:59.999Z", "UTC"), ("2026-01-11T23:00:00.000Z", "UTC"),
            ("2026-01-18T22:59:59.999Z", "UTC"), ("2026-01-18T23:00:00.000Z", "UTC"),
        ])
        let berlin = try told.history("2026-W03", in: "Europe/Berlin", now: "2026-01-20T00:00:00.000Z")
        #expect(berlin.checkIns(perDay: 24) == BoardScore(value: 2, reachedAt: try time("2026-01-18T22:59:59.999Z")))
        let utc = try told.history("2026-W03", now: "2026-01-20T00:00:00.000Z")
        #expect(utc.checkIns(perDay: 24)?.value == 2)
    }

    @Test("counts no more than the cap of one day, the first ones")
    func cap() throws {
        let told = try Told([
            ("2026-01-13T08:00:00.000Z", "UTC"), ("2026-01-13T09:00:00.000Z", "UTC"),
            ("2026-01-13T10:00:00.000Z", "UTC"), ("2026-01-14T07:00:00.000Z", "UTC"),
        ])
        let now = "2026-01-14T08:00:00.000Z"
        #expect(try told.history("2026-W03", now: now).checkIns(perDay: 2)?.value == 3)
        let today = try Told(Array(told.workouts.dropLast().map { ($0.completedAt.description, $0.zone) }))
        #expect(
            try today.history("2026-W03", now: now).checkIns(perDay: 2)
                == BoardScore(value: 2, reachedAt: time("2026-01-13T09:00:00.000Z")))
    }
}

@Suite("Runs of days")
struct DayRunTests {
    @Test("runs after random days that come and go are those of the days", .seeded)
    func random() throws {
        var random = Seeded()
        var runs: [DayRun] = []
        var days: Set<CivilDay> = []
        for _ in 0..<2_000 {
            let day = CivilDay(daysSinceEpoch: 20_000 + random.number(0...30))
            let change: DayRunChange
            if days.contains(day), random.chance(0.5) {
                days.remove(day)
                change = DayRunChange(removing: day, from: runs.first { $0.contains(day) })
            } else {
                days.insert(day)
                change = DayRunChange(
                    adding: day, before: runs.filter { $0.first <= day }.max { $0.first < $1.first },
                    after: runs.first { $0.first == day.advanced(byDays: 1) })
            }
            #expect(change.removed.allSatisfy(runs.contains))
            runs.removeAll { change.removed.contains($0) }
            runs += change.added
            var expected: [DayRun] = []
            for day in days.sorted() {
                if let last = expected.last, last.last == day.advanced(byDays: -1) {
                    expected[expected.count - 1].last = day
                } else {
                    expected.append(DayRun(first: day, last: day))
                }
            }
            #expect(runs.sorted { $0.first < $1.first } == expected)
            #expect(runs.map(\.days).reduce(0, +) == days.count)
        }
    }
}
