import Foundation
import ParleyProtocol
import Testing

@Suite("Days and weeks of the calendar")
struct CivilDayTests {
    @Test(
        "a day reads and prints as 2026-01-15",
        arguments: ["2026-01-15", "1970-01-01", "2024-02-29", "0000-01-01", "9999-12-31"])
    func day(_ text: String) throws {
        #expect(try #require(CivilDay(text)).description == text)
    }

    @Test(
        "what is no day is not read",
        arguments: [
            "2025-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2026-01-00", "2026-1-15", "26-01-15",
            "2026/01/15", "2026-01-15 ", "", "2026-01-1五", "+026-01-15",
        ])
    func noDay(_ text: String) {
        #expect(CivilDay(text) == nil)
    }

    @Test("a day is that of an instant, ahead and behind of UTC and before 1970")
    func ofInstant() throws {
        let evening = try #require(Timestamp("2026-01-15T23:30:00.000Z"))
        #expect(CivilDay(evening).description == "2026-01-15")
        #expect(CivilDay(evening, offset: 1800).description == "2026-01-16")
        #expect(CivilDay(evening, offset: -86_400).description == "2026-01-14")
        #expect(CivilDay(try #require(Timestamp("1969-12-31T23:59:59.999Z"))).daysSinceEpoch == -1)
        #expect(CivilDay(Timestamp(milliseconds: -86_400_000)).daysSinceEpoch == -1)
        #expect(CivilDay(.earliest, offset: -86_400).description == "0000-01-01")
        #expect(CivilDay(.latest, offset: 86_400).description == "9999-12-31")
    }

    @Test(
        "a day is in its week",
        arguments: [
            ("2026-01-12", "2026-W03"), ("2026-01-18", "2026-W03"), ("2026-01-19", "2026-W04"),
            ("2025-12-29", "2026-W01"), ("2021-01-03", "2020-W53"), ("2021-01-04", "2021-W01"),
            ("2024-12-30", "2025-W01"), ("2027-01-03", "2026-W53"), ("2016-01-03", "2015-W53"),
        ])
    func week(_ day: String, _ week: String) throws {
        let found = ISOWeek(of: try #require(CivilDay(day)))
        #expect(found.description == week)
        #expect(ISOWeek(week) == found)
        #expect(found.monday.weekday == 0)
    }

    @Test(
        "what is no week is not read",
        arguments: [
            "2025-W53", "2026-W00", "2026-W54", "2026-w03", "2026W03", "2026-W3", "2026-W03-1", "", "2026-Wxx",
            "-026-W03",
        ])
    func noWeek(_ text: String) {
        #expect(ISOWeek(text) == nil)
    }

    @Test("weeks follow each other as in Foundation's calendar, for 400 years")
    func weeks() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var week = try #require(ISOWeek("1900-W01"))
        for _ in 0..<20_871 {
            let noon = Date(timeIntervalSince1970: Double(week.monday.daysSinceEpoch) * 86_400 + 43_200)
            let parts = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear, .weekday], from: noon)
            guard parts.yearForWeekOfYear == week.year, parts.weekOfYear == week.number, parts.weekday == 2 else {
                Issue.record("\(week) is \(parts)")
                return
            }
            #expect(ISOWeek(week.description) == week && week.next.previous == week)
            week = week.next
        }
        #expect(week.description == "2300-W01")
    }

    @Test("nothing traps at the ends of the calendar")
    func ends() throws {
        let (first, last) = (try #require(CivilDay("0000-01-01")), try #require(CivilDay("9999-12-31")))
        #expect(first.advanced(byDays: -1) == first && last.advanced(byDays: 1) == last)
        #expect(ISOWeek(of: last).next.monday == ISOWeek(of: last).next.monday)
        #expect(ISOWeek(of: first).description.count == 8)
    }
}
