import Foundation

/// Names of days and weeks by Foundation's calendar.
package final class OracleCalendar {
    private var calendars: [String: Calendar] = [:]
    private var days: [Instant: String] = [:]
    private var weeks: [Instant: String] = [:]
    private var before: [String: String] = [:]

    package init() {}

    /// Forgets what it was asked.
    func clear() {
        days = [:]
        weeks = [:]
    }

    private struct Instant: Hashable {
        let time: Int64
        let zone: String
    }

    private func calendar(_ zone: String) -> Calendar {
        if let calendar = calendars[zone] { return calendar }
        var calendar = Calendar(identifier: .iso8601)
        guard let known = TimeZone(identifier: zone) else { preconditionFailure("no zone \(zone)") }
        calendar.timeZone = known
        calendars[zone] = calendar
        return calendar
    }

    private func date(_ time: Int64) -> Date { Date(timeIntervalSince1970: Double(time) / 1000) }

    /// `2026-01-15`
    func day(_ time: Int64, _ zone: String) -> String {
        let key = Instant(time: time, zone: zone)
        if let day = days[key] { return day }
        let parts = calendar(zone).dateComponents([.year, .month, .day], from: date(time))
        let day = text(parts)
        days[key] = day
        return day
    }

    private func text(_ parts: DateComponents) -> String {
        [(parts.year, 4), (parts.month, 2), (parts.day, 2)].map { padded($0.0 ?? 0, $0.1) }.joined(separator: "-")
    }

    /// `2026-W03`
    func week(_ time: Int64, _ zone: String) -> String {
        let key = Instant(time: time, zone: zone)
        if let week = weeks[key] { return week }
        let parts = calendar(zone).dateComponents([.yearForWeekOfYear, .weekOfYear], from: date(time))
        let week = "\(padded(parts.yearForWeekOfYear ?? 0, 4))-W\(padded(parts.weekOfYear ?? 0, 2))"
        weeks[key] = week
        return week
    }

    /// The day before a day, at noon of which nobody changes their clocks.
    func dayBefore(_ day: String) -> String {
        if let known = before[day] { return known }
        let parts = day.split(separator: "-").compactMap { Int($0) }
        let noon = DateComponents(year: parts[0], month: parts[1], day: parts[2], hour: 12)
        let calendar = calendar("UTC")
        guard let date = calendar.date(from: noon), let other = calendar.date(byAdding: .day, value: -1, to: date)
        else {
            preconditionFailure("no day \(day)")
        }
        let result = text(calendar.dateComponents([.year, .month, .day], from: other))
        before[day] = result
        return result
    }

    /// The first instant after this one that is in another week: hour by hour, then closer.
    func endOfWeek(at time: Int64, _ zone: String) -> Int64 {
        let name = week(time, zone)
        var low = time
        while week(low + 3_600_000, zone) == name { low += 3_600_000 }
        return closer(low, low + 3_600_000) { self.week($0, zone) != name }
    }

    func firstInstant(ofWeekAt time: Int64, _ zone: String) -> Int64 {
        let name = week(time, zone)
        var high = time
        while week(high - 3_600_000, zone) == name { high -= 3_600_000 }
        return closer(high - 3_600_000, high) { self.week($0, zone) == name }
    }

    private func closer(_ low: Int64, _ high: Int64, _ holds: (Int64) -> Bool) -> Int64 {
        var (low, high) = (low, high)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle }
        }
        return high
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
