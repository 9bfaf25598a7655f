import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("Times", .seeded)
struct TimestampTests {
    @Test(
        "known times are read and printed",
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0), ("1969-12-31T23:59:59.999Z", -1),
            ("2026-01-15T09:30:00.000Z", 1_768_469_400_000),
            ("2000-02-29T12:00:00.001Z", 951_825_600_001), ("2024-02-29T23:59:59.999Z", 1_709_251_199_999),
            ("1900-02-28T00:00:00.000Z", -2_203_977_600_000), ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("2038-01-19T03:14:08.000Z", 2_147_483_648_000),
        ] as [(String, Int64)])
    func known(text: String, milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test("from year 0 to 9999 the days follow each other with no gap, leap days included")
    func everyYear() {
        var day: Int64 = Timestamp.earliest.milliseconds / 86_400_000
        for year in 0...9999 {
            let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            let digits = String(repeating: "0", count: 4 - String(year).count) + String(year)
            let days: [(String, Int64)] = [
                ("01-01", 0), ("02-28", 58), ("03-01", isLeap ? 60 : 59), ("12-31", isLeap ? 365 : 364),
            ]
            for (date, offset) in days {
                let text = "\(digits)-\(date)T00:00:00.000Z"
                let time = Timestamp(milliseconds: (day + offset) * 86_400_000)
                guard Timestamp(text) == time, time.description == text else {
                    Issue.record("\(text) is \(time)")
                    return
                }
            }
            let leapDay = Timestamp("\(digits)-02-29T00:00:00.000Z")
            guard leapDay?.milliseconds == (isLeap ? (day + 59) * 86_400_000 : nil) else {
                Issue.record("29 February \(digits)")
                return
            }
            day += isLeap ? 366 : 365
        }
    }

    @Test("random times are written as Foundation writes them, and read as it reads them")
    func agreement() throws {
        var generator = Seeded(stream: 14)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Foundation's calendar is Julian before 1582.
        let first = try #require(Timestamp("1583-01-01T00:00:00.000Z")).milliseconds
        for _ in 0..<2_000 {
            let time = Timestamp(
                milliseconds: Int64.random(in: first...Timestamp.latest.milliseconds, using: &generator))
            // Half a millisecond more, because Foundation cuts off and binary fractions lie below as often as above.
            let date = Date(timeIntervalSince1970: (Double(time.milliseconds) + 0.5) / 1000)
            #expect(date.formatted(style) == time.description)
            let read = try Date(time.description, strategy: style)
            #expect((read.timeIntervalSince1970 * 1000).rounded() == Double(time.milliseconds))
        }
    }

    @Test("random times print what is read as the same again")
    func roundTrip() {
        var generator = Seeded(stream: 15)
        for _ in 0..<5_000 {
            let time = generator.time()
            #expect(Timestamp(time.description) == time)
        }
    }

    @Test(
        "days that no calendar has and other forms are refused",
        arguments: [
            "2025-02-29T00:00:00.000Z", "1900-02-29T00:00:00.000Z", "2100-02-29T00:00:00.000Z",
            "2024-02-30T00:00:00.000Z",
            "2026-04-31T00:00:00.000Z", "2026-06-31T00:00:00.000Z", "2026-00-01T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-01-00T00:00:00.000Z", "2026-01-32T00:00:00.000Z", "2026-01-01T24:00:00.000Z",
            "2026-01-01T00:60:00.000Z",
            "2026-01-01T00:00:60.000Z", "2016-12-31T23:59:60.000Z", "2026-01-01t00:00:00.000Z",
            "2026-01-01T00:00:00.000z",
            "2026-01-01 00:00:00.000Z", "2026-01-01T00:00:00,000Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.00Z",
            "2026-01-01T00:00:00.0000Z", "2026-01-01T00:00:00.000+00:00", "2026-01-01T00:00:00.000",
            "+026-01-01T00:00:00.000Z",
            "-001-01-01T00:00:00.000Z", "12026-01-01T00:00:00.000Z", "2026-1-01T00:00:00.0000Z",
            "2026-01-01T-1:00:00.000Z",
            "2026-01-01T00:00:00.+00Z", "２026-01-01T00:00:00.00Z", "2026-01-01T00:00:00.000Z ",
            " 2026-01-01T00:00:00.00Z",
            "", "Z", "2026-W03-1T00:00:00.000Z", "\u{0}026-01-01T00:00:00.000Z",
        ])
    func refused(text: String) { #expect(Timestamp(text) == nil) }

    @Test("moving a time stops at the ends of what can be written")
    func advancing() {
        let time = Timestamp(milliseconds: 1000)
        #expect(time.advanced(byMilliseconds: -1500).milliseconds == -500)
        #expect(time.advanced(byMilliseconds: .max) == .latest)
        #expect(time.advanced(byMilliseconds: .min) == .earliest)
        #expect(Timestamp.latest.advanced(byMilliseconds: 1) == .latest)
        #expect(Timestamp.earliest.advanced(byMilliseconds: -1) == .earliest)
        #expect(Timestamp(milliseconds: .max).description == Timestamp.latest.description)
        #expect(Timestamp(milliseconds: .min).description == Timestamp.earliest.description)
    }
}
