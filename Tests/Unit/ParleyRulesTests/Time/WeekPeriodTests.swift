import Foundation
import ParleyProtocol
import ParleyRules
import Testing

@Suite("Civil days and weeks where clocks change")
struct WeekPeriodTests {
    @Test(
        "a day begins at the first instant at which it is that day",
        arguments: [
            ("UTC", "2026-01-15", "2026-01-15T00:00:00.000Z"),
            ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z"),
            ("Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00.000Z"),
            // Clocks go forward at midnight: there is no 00:00.
            ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00.000Z"),
            ("Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00.000Z"),
            // Clocks go back at midnight, to 23:00 of the day before: it is that day for an hour more.
            ("America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00.000Z"),
            ("America/Havana", "2026-11-01", "2026-11-01T04:00:00.000Z"),
            // At 00:01 they went back over a midnight that had been.
            ("America/St_Johns", "2010-11-07", "2010-11-07T02:30:00.000Z"),
            ("Pacific/Kiritimati", "2026-01-15", "2026-01-14T10:00:00.000Z"),
            ("Pacific/Chatham", "2026-01-15", "2026-01-14T10:15:00.000Z"),
            // A day that was left out begins with the next.
            ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z"),
            ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00.000Z"),
        ])
    func beginning(_ name: String, _ day: String, _ instant: String) throws {
        #expect(try zone(name).beginning(of: ParleyRulesTests.day(day)).description == instant)
    }

    @Test(
        "a week lasts from Monday to Monday, longer or shorter where clocks change",
        arguments: [
            ("UTC", "2026-W03", "2026-01-12T00:00:00.000Z", 168.0),
            ("Europe/Berlin", "2026-W13", "2026-03-22T23:00:00.000Z", 167),
            ("Europe/Berlin", "2026-W43", "2026-10-18T22:00:00.000Z", 169),
            ("Australia/Lord_Howe", "2026-W14", "2026-03-29T13:00:00.000Z", 168.5),
            ("Pacific/Apia", "2011-W52", "2011-12-26T10:00:00.000Z", 144),
            ("UTC", "2020-W53", "2020-12-28T00:00:00.000Z", 168),
        ])
    func week(_ name: String, _ week: String, _ start: String, _ hours: Double) throws {
        let period = WeekPeriod(try ParleyRulesTests.week(week), in: try zone(name))
        #expect(period.startsAt.description == start)
        #expect(Double(period.endsAt.milliseconds - period.startsAt.milliseconds) == hours * 3_600_000)
        let zone = try zone(name)
        let last = period.endsAt.advanced(byMilliseconds: -1)
        #expect(WeekPeriod(at: period.startsAt, in: zone) == period)
        #expect(WeekPeriod(at: last, in: zone) == period)
        #expect(WeekPeriod(at: period.endsAt, in: zone).week == period.week.next)
        #expect(period.contains(period.startsAt) && period.contains(last) && !period.contains(period.endsAt))
    }

    @Test("an hour that clocks repeat before a Monday's midnight is in the week that has begun")
    func repeatedHour() throws {
        // In this zone clocks go back at 00:30 on Monday 2026-01-12 to 23:30.
        let change = try time("2026-01-12T00:30:00.000Z")
        let zone = CivilZone { $0 < change ? 0 : -3600 }
        let monday = try time("2026-01-12T00:00:00.000Z")
        #expect(zone.beginning(of: try day("2026-01-12")) == monday)
        #expect(zone.day(at: change).description == "2026-01-11")
        #expect(WeekPeriod(at: change, in: zone).week.description == "2026-W03")
    }

    @Test("a week is final from its closing time on, and not if the clock goes back")
    func finality() throws {
        let period = WeekPeriod(try ParleyRulesTests.week("2026-W03"), in: .utc)
        let closing = try time("2026-01-19T12:00:00.000Z")
        #expect(period.closesAt(grace: .seconds(12 * 3600)) == closing)
        #expect(period.isFinal(at: closing, grace: .seconds(12 * 3600)))
        #expect(!period.isFinal(at: closing.advanced(byMilliseconds: -1), grace: .seconds(12 * 3600)))
    }
}
