import Oracles
import ParleyProtocol
import ParleyRules
import RepeatableRandom

/// A few people of a group, what they do in some weeks, and its boards at every step.
struct BoardHistory {
    fileprivate struct Person {
        let user: UserID
        let joinedAt: Timestamp
        let home: String
        /// What counts with the engine.
        var workouts: [CountedWorkout] = []
        var runs: [DayRun] = []
        /// What counts with the oracle.
        var told: [OracleWorkout] = []
    }

    private struct Board: Hashable {
        let week: ISOWeek
        let isStreak: Bool
    }

    private static let hour: Int64 = 3_600_000

    private var random: SplitMix64
    private let zones: ModelZones
    private let fault: BoardComparison.Fault?
    private let groupZone: String
    private let cap: Int
    private let oracle: BoardOracle
    private var people: [Person] = []
    private var now: Timestamp
    private var number: UInt64 = 0
    private var standings: [Board: Standings] = [:]
    private var ranks: [Board: OracleRanks] = [:]

    init(
        _ random: SplitMix64, _ zones: ModelZones, _ calendar: OracleCalendar, _ fault: BoardComparison.Fault?
    ) {
        self.random = random
        self.zones = zones
        self.fault = fault
        groupZone = self.random.chance(3) ? "UTC" : self.random.pick(ModelZones.names)
        cap = self.random.chance(3) ? 2 : 24
        oracle = BoardOracle(zone: groupZone, cap: cap, calendar: calendar)
        now = BoardHistory.beginning(&self.random)
        for index in 0..<Int.random(in: 1...4, using: &self.random) {
            // Some have joined at the same time.
            let joined = now.advanced(byMilliseconds: -Int64.random(in: 0...2, using: &self.random) * 1000)
            people.append(
                Person(
                    user: UserID("person\(index)") ?? .init(validated: "person"), joinedAt: joined,
                    home: self.random.pick(ModelZones.names)))
        }
    }

    /// Near what happens to calendars, or anywhere.
    private static func beginning(_ random: inout SplitMix64) -> Timestamp {
        var year = Int.random(in: 2016...2036, using: &random)
        let dates = [
            (12, 26), (12, 29), (2, 24), (2, 27), (3, 7), (3, 25), (4, 2), (9, 23), (10, 20), (10, 29), (11, 1),
        ]
        let (month, day) =
            random.chance(3)
            ? (Int.random(in: 1...12, using: &random), Int.random(in: 1...28, using: &random)) : random.pick(dates)
        if month == 2, random.chance(2) { year -= year % 4 }
        let first = CivilDay(year: year, month: month, day: day) ?? CivilDay(daysSinceEpoch: 20_000)
        return first.midnight.advanced(byMilliseconds: Int64.random(in: 0..<4 * 24 * hour, using: &random))
    }

    // MARK: What happens

    mutating func run(_ tally: inout BoardComparison.Tally) throws {
        let began = now
        for index in people.indices { liveUntilNow(index) }
        try compare(&tally)
        for _ in 0..<Int.random(in: 4...24, using: &random) {
            let wait = random.chance(4) ? 30 * BoardHistory.hour : 5 * BoardHistory.hour
            now = now.advanced(byMilliseconds: Int64.random(in: 0...wait, using: &random))
            let index = Int.random(in: people.indices, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: deleteOne(index)
            case 1: break  // Time passes.
            case 2, 3:
                add(index, at: late(), &tally)
            default:
                add(
                    index, at: now.advanced(byMilliseconds: Int64.random(in: -60_000...300_000, using: &random)), &tally
                )
            }
            try compare(&tally)
        }
        count(from: began, &tally)
    }

    /// Some days of the past, most of them in a row.
    private mutating func liveUntilNow(_ index: Int) {
        let days = random.chance(2) ? 0 : Int64.random(in: 0...(random.chance(10) ? 380 : 25), using: &random)
        let gap = random.chance(3) ? 10_000 : Int.random(in: 5...100, using: &random)
        var ignored = BoardComparison.Tally()
        for day in 0..<days where !random.chance(gap) {
            let time = now.advanced(byMilliseconds: -(days - day) * 24 * BoardHistory.hour)
            add(
                index, at: time.advanced(byMilliseconds: Int64.random(in: 0..<4 * BoardHistory.hour, using: &random)),
                &ignored)
        }
    }

    /// A time in the past, often close to a midnight of the group's weeks.
    private mutating func late() -> Timestamp {
        guard random.chance(2) else {
            return now.advanced(byMilliseconds: -Int64.random(in: 0...200 * BoardHistory.hour, using: &random))
        }
        let start = WeekPeriod(at: now, in: zones.zone(groupZone)).startsAt
        return min(now, start.advanced(byMilliseconds: Int64.random(in: -2...2, using: &random)))
    }

    private mutating func add(_ index: Int, at time: Timestamp, _ tally: inout BoardComparison.Tally) {
        number += 1
        let id = WorkoutID(UUIDValue(high: 0, low: number))
        let zone = random.chance(6) ? random.pick(ModelZones.names) : people[index].home
        if time < WeekPeriod(at: now, in: zones.zone(groupZone)).startsAt { tally.lateWorkouts += 1 }
        people[index].told.append(OracleWorkout(id: id.description, completedAt: time.milliseconds, zone: zone))
        let day = (fault == .workoutZoneIgnored ? .utc : zones.zone(zone)).day(at: time)
        let isFirst = !people[index].workouts.contains { $0.day == day }
        people[index].workouts.append(CountedWorkout(id: id, completedAt: time, day: day, zone: zone))
        guard isFirst else { return }
        let runs = people[index].runs
        people[index].apply(
            DayRunChange(
                adding: day, before: runs.last { $0.first <= day },
                after: runs.first { $0.first == day.advanced(byDays: 1) }))
    }

    private mutating func deleteOne(_ index: Int) {
        guard let place = people[index].told.indices.suffix(6).randomElement(using: &random) else { return }
        people[index].told.remove(at: place)
        guard fault != .deletionIgnored else { return }
        let day = people[index].workouts.remove(at: place).day
        guard !people[index].workouts.contains(where: { $0.day == day }) else { return }
        people[index].apply(DayRunChange(removing: day, from: people[index].runs.first { $0.contains(day) }))
    }

    // MARK: Comparing

    private mutating func compare(_ tally: inout BoardComparison.Tally) throws {
        let zone = fault == .groupZoneIgnored ? .utc : zones.zone(groupZone)
        let period = WeekPeriod(at: now, in: zone)
        let (start, end) = oracle.bounds(ofWeekAt: now.milliseconds)
        try expect(period.week.description, oracle.week(of: now.milliseconds), "the week")
        if fault != .groupZoneIgnored {
            try expect([period.startsAt.milliseconds, period.endsAt.milliseconds], [start, end], "the week's bounds")
        }
        try compare(period, end: end, &tally)
        try compare(WeekPeriod(period.week.previous, in: zone), end: start, &tally)
    }

    private mutating func compare(_ period: WeekPeriod, end: Int64, _ tally: inout BoardComparison.Tally) throws {
        var period = period
        if fault == .shortWeek {
            period = WeekPeriod(
                week: period.week, startsAt: period.startsAt,
                endsAt: period.startsAt.advanced(byMilliseconds: 7 * 24 * BoardHistory.hour))
        }
        let members = people.map {
            OracleMember(name: $0.user.text, joinedAt: $0.joinedAt.milliseconds, workouts: $0.told)
        }
        for isStreak in [false, true] {
            let board = Board(week: period.week, isStreak: isStreak)
            let expected =
                isStreak
                ? oracle.streaks(members, weekEnd: end, now: now.milliseconds)
                : oracle.checkIns(members, week: period.week.description, now: now.milliseconds)
            ranks[board, default: OracleRanks()].append(expected)
            var found = fault == .ranksForgotten ? Standings() : standings[board] ?? Standings()
            found.set(people.map { (user: $0.user, score: score($0, period, isStreak), joinedAt: joined($0)) })
            standings[board] = found
            let what = "\(isStreak ? "streak" : "check-ins") of \(period.week) in \(groupZone) at \(now)"
            try expect(found.lines.map(\.shown), expected.map(\.shown), what)
            for line in found.lines {
                let previous = ranks[board]?.previous(line.user.text)
                try expect(line.previousRank, previous, "\(what), the rank of \(line.user) before")
                if previous != nil { tally.rankChanges += 1 }
                if isStreak { tally.longestStreak = max(tally.longestStreak, line.score.value) }
            }
            tally.boards += 1
            tally.lines += expected.count
        }
    }

    private func joined(_ person: Person) -> Timestamp {
        fault == .joinIgnored ? Timestamp(milliseconds: 0) : person.joinedAt
    }

    private func score(_ person: Person, _ period: WeekPeriod, _ isStreak: Bool) -> BoardScore? {
        var view = BoardView(period, now: now)
        if fault == .weekEndIgnored, isStreak {
            view = BoardView(WeekPeriod(week: period.week, startsAt: period.startsAt, endsAt: .latest), now: now)
        }
        let from = view.recentFrom
        let earlier = person.runs.last { $0.first < from }
        let history = WorkoutHistory(
            view, recent: person.workouts.filter { $0.day >= from },
            earlier: fault == .earlierRunIgnored ? nil : earlier)
        guard isStreak else { return history.checkIns(perDay: fault == .capIgnored ? 1000 : cap) }
        let (zones, fault) = (zones, fault)
        return history.streak { name in
            switch fault {
            case .oneZoneForAll: return zones.zone("UTC")
            case .midnightByStandardTime:
                let january = Timestamp(milliseconds: 1_768_467_600_000)
                return CivilZone { _ in zones.offset(name, january) }
            default: return zones.zone(name)
            }
        }
    }

    private func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
        guard found != expected else { return }
        let workouts = people.map { person in
            "\(person.user): "
                + person.told.map { "\(Timestamp(milliseconds: $0.completedAt)) \($0.zone)" }.joined(separator: ", ")
        }
        throw BoardComparison.DifferenceError(
            description: "\(what): \(found), and the oracle: \(expected)\n" + workouts.joined(separator: "\n"))
    }

    private func count(from began: Timestamp, _ tally: inout BoardComparison.Tally) {
        let (first, last) = (CivilDay(began), CivilDay(now))
        if first.year != last.year { tally.overYearEnd += 1 }
        if let leap = CivilDay(year: last.year, month: 2, day: 29), first <= leap, leap <= last {
            tally.overLeapDay += 1
        }
        let changes = people.contains { zones.offset($0.home, began) != zones.offset($0.home, now) }
        if changes || zones.offset(groupZone, began) != zones.offset(groupZone, now) { tally.overClockChange += 1 }
    }
}

extension BoardHistory.Person {
    fileprivate mutating func apply(_ change: DayRunChange) {
        runs.removeAll { change.removed.contains($0) }
        runs += change.added
        runs.sort { $0.first < $1.first }
    }
}

extension Standing {
    fileprivate var shown: String { "\(rank). \(user) \(score.value) at \(score.reachedAt.milliseconds)" }
}

extension OracleLine {
    fileprivate var shown: String { description }
}

extension SplitMix64 {
    /// One time of so many.
    mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &self) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
