import Foundation
import ParleyProtocol
import Testing

@testable import parley

@Suite("When a week was closed")
struct WeekInZoneTests {
    @Test(
        "it is said in the group's zone, over the ends of years and of summer time",
        arguments: [
            ("2026-01-15T07:30:00.000Z", "Europe/Berlin", "2026-W03 closed Mon 19 Jan 2026 12:00"),
            ("2026-01-18T23:30:00.000Z", "Europe/Berlin", "2026-W04 closed Mon 26 Jan 2026 12:00"),
            ("2025-12-29T12:00:00.000Z", "UTC", "2026-W01 closed Mon 5 Jan 2026 12:00"),
            ("2026-10-25T12:00:00.000Z", "Europe/Berlin", "2026-W43 closed Mon 26 Oct 2026 12:00"),
        ])
    func closing(time: String, zone: String, expected: String) throws {
        let instant = try #require(Timestamp(time))
        // Within the macro the module's name would be taken for a value.
        let named = Foundation.TimeZone(identifier: zone)
        let place = try #require(named)
        let period = try #require(WeekInZone(at: instant, place))
        let sentence = period.closing(after: 12 * 3_600_000, of: "Morning run\u{1B}", in: zone)
        #expect(sentence == "Morning run\\u{1b}: week \(expected) \(zone)")
    }
}
