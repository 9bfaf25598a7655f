import Foundation
import ParleyProtocol
import ParleyRules
import Testing

@Suite("Quiet hours")
struct QuietHoursTests {
    @Test(
        "they end at a time of day, over midnight too",
        arguments: [
            ("22:00", "07:00", "UTC", "2026-01-15T21:59:59.999Z", nil),
            ("22:00", "07:00", "UTC", "2026-01-15T22:00:00.000Z", "2026-01-16T07:00:00.000Z"),
            ("22:00", "07:00", "UTC", "2026-01-16T00:00:00.000Z", "2026-01-16T07:00:00.000Z"),
            ("22:00", "07:00", "UTC", "2026-01-16T06:59:59.999Z", "2026-01-16T07:00:00.000Z"),
            ("22:00", "07:00", "UTC", "2026-01-16T07:00:00.000Z", nil),
            ("13:00", "14:30", "UTC", "2026-01-15T12:59:59.999Z", nil),
            ("13:00", "14:30", "UTC", "2026-01-15T13:00:00.000Z", "2026-01-15T14:30:00.000Z"),
            ("13:00", "14:30", "UTC", "2026-01-15T14:30:00.000Z", nil),
            ("00:00", "06:00", "UTC", "2026-01-15T00:00:00.000Z", "2026-01-15T06:00:00.000Z"),
            ("23:00", "00:00", "UTC", "2026-01-15T23:30:00.000Z", "2026-01-16T00:00:00.000Z"),
            ("07:00", "07:00", "UTC", "2026-01-15T07:00:00.000Z", nil),
            ("00:01", "00:00", "UTC", "2026-01-15T00:00:30.000Z", nil),
            ("22:00", "07:00", "Asia/Kolkata", "2026-01-15T16:30:00.000Z", "2026-01-16T01:30:00.000Z"),
            ("22:00", "07:00", "America/New_York", "2026-01-16T02:59:59.999Z", nil),
            ("22:00", "07:00", "America/New_York", "2026-01-16T03:00:00.000Z", "2026-01-16T12:00:00.000Z"),
            ("22:00", "07:00", "Pacific/Kiritimati", "2026-01-15T08:00:00.000Z", "2026-01-15T17:00:00.000Z"),
            // What is no time of day is no quiet hours.
            ("25:00", "07:00", "UTC", "2026-01-15T03:00:00.000Z", nil),
            ("22:00", "7:00", "UTC", "2026-01-15T23:00:00.000Z", nil),
        ] as [(String, String, String, String, String?)])
    func ends(from: String, to: String, zoneName: String, instant: String, expected: String?) throws {
        let hours = QuietHours(from: from, to: to)
        #expect(hours.end(ifQuietAt: try time(instant), in: try zone(zoneName))?.description == expected)
    }

    @Test(
        "where clocks change in the night they end at the first instant at which it is that time or later",
        arguments: [
            // From 02:00 to 03:00 on 2026-03-29 in Berlin.
            ("22:00", "02:30", "Europe/Berlin", "2026-03-28T22:00:00.000Z", "2026-03-29T01:00:00.000Z"),
            ("02:30", "06:00", "Europe/Berlin", "2026-03-29T00:59:59.999Z", nil),
            ("02:30", "06:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z", "2026-03-29T04:00:00.000Z"),
            ("22:00", "07:00", "Europe/Berlin", "2026-03-28T22:00:00.000Z", "2026-03-29T05:00:00.000Z"),
            // All of them is left out.
            ("02:15", "02:45", "Europe/Berlin", "2026-03-29T01:00:00.000Z", nil),
            // From 03:00 back to 02:00 on 2026-10-25 in Berlin: once over they stay over.
            ("22:00", "02:30", "Europe/Berlin", "2026-10-25T00:29:59.999Z", "2026-10-25T00:30:00.000Z"),
            ("22:00", "02:30", "Europe/Berlin", "2026-10-25T01:00:00.000Z", nil),
            ("02:30", "06:00", "Europe/Berlin", "2026-10-25T01:00:00.000Z", "2026-10-25T05:00:00.000Z"),
            // At midnight on 2018-11-04 it was 01:00, and on 2018-02-18 it was 23:00 again in Sao Paulo.
            ("22:00", "00:30", "America/Sao_Paulo", "2018-11-04T02:30:00.000Z", "2018-11-04T03:00:00.000Z"),
            ("22:00", "00:00", "America/Sao_Paulo", "2018-02-18T02:30:00.000Z", "2018-02-18T03:00:00.000Z"),
            // On the island of Lord Howe clocks change by half an hour.
            ("22:00", "02:15", "Australia/Lord_Howe", "2026-10-03T15:00:00.000Z", "2026-10-03T15:30:00.000Z"),
            // In Samoa there was no 2011-12-30: that night they ran on.
            ("22:00", "07:00", "Pacific/Apia", "2011-12-30T09:00:00.000Z", "2011-12-30T17:00:00.000Z"),
        ] as [(String, String, String, String, String?)])
    func changes(from: String, to: String, zoneName: String, instant: String, expected: String?) throws {
        let hours = QuietHours(from: from, to: to)
        #expect(hours.end(ifQuietAt: try time(instant), in: try zone(zoneName))?.description == expected)
    }

    @Test(
        "over a year they end as a clock shows that is stopped instead of being put back",
        arguments: [
            ("Europe/Berlin", 2026), ("America/New_York", 2026), ("Australia/Lord_Howe", 2026),
            ("America/Sao_Paulo", 2018), ("America/St_Johns", 2010), ("Pacific/Apia", 2011),
            ("Africa/Casablanca", 2026),
            ("Asia/Kathmandu", 2026),
        ])
    func year(name: String, year: Int) throws {
        let zone = try zone(name)
        let places = try #require(TimeZone(identifier: name))
        let start = try time("\(year)-01-01T00:00:00.000Z").milliseconds / 60_000
        // What clocks show each minute, in minutes; the highest so far.
        var shown: [Int64] = []
        for minute in start..<(start + 527_000) {
            let offset = Int64(places.secondsFromGMT(for: Date(timeIntervalSince1970: Double(minute) * 60)) / 60)
            shown.append(max(minute + offset, shown.last ?? .min))
        }
        for (from, to) in [(1320, 420), (780, 870), (0, 360), (1380, 0), (150, 120), (135, 165), (1, 0)]
            as [(Int64, Int64)]
        {
            let hours = QuietHours(from: Self.text(from), to: Self.text(to))
            let isQuiet = shown.map { local in
                let time = local % 1440
                return from < to ? from <= time && time < to : time >= from || time < to
            }
            var end = isQuiet.count
            var wrong: [String] = []
            for index in stride(from: isQuiet.count - 1, through: 0, by: -1) {
                if !isQuiet[index] { end = index }
                // At the edges the year before and after would have to be known.
                guard index > 1440, end < isQuiet.count, index % 211 == 0 || isQuiet[index] != isQuiet[index - 1]
                else { continue }
                let instant = Timestamp(milliseconds: (start + Int64(index)) * 60_000)
                let expected = isQuiet[index] ? Timestamp(milliseconds: (start + Int64(end)) * 60_000) : nil
                if hours.end(ifQuietAt: instant, in: zone) != expected {
                    wrong.append("\(hours) at \(instant): not \(expected.map(\.description) ?? "nil")")
                }
            }
            #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3))")
        }
    }

    private static func text(_ minutes: Int64) -> String {
        func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(two(minutes / 60)):\(two(minutes % 60))"
    }
}
