import ParleyProtocol

extension QuietHours {
    /// When quiet hours that run at this time end: the first instant at which clocks there show `to` or more.
    ///
    /// They begin at the first instant of a day at which clocks show `from` or more, and end at `to` of that day, or of the
    /// next where `to` is no later than `from`. What clocks show twice in a night therefore begins and ends them once.
    ///
    /// - Parameter zone: where the user is.
    /// - Returns: `nil` outside of them; always where the two are the same.
    package func end(ifQuietAt time: Timestamp, in zone: CivilZone) -> Timestamp? {
        guard let from = QuietHours.milliseconds(from), let to = QuietHours.milliseconds(to), from != to else {
            return nil
        }
        // Where the end is left out by clocks that go forward, the next quiet hours can begin at once.
        var end: Timestamp?
        for _ in 0..<4 {
            guard let next = period(at: end ?? time, from: from, to: to, in: zone) else { break }
            end = next
        }
        return end
    }

    /// The end of those that contain this time.
    private func period(at time: Timestamp, from: Int64, to: Int64, in zone: CivilZone) -> Timestamp? {
        let today = zone.day(at: time)
        // Where clocks go back over midnight, those of tomorrow may have begun.
        for days in -1...1 {
            let day = today.advanced(byDays: days)
            let lastDay = from < to ? day : day.advanced(byDays: 1)
            let end = zone.firstInstant(atOrAfter: lastDay.midnight.advanced(byMilliseconds: to))
            guard time < end else { continue }
            if zone.firstInstant(atOrAfter: day.midnight.advanced(byMilliseconds: from)) <= time { return end }
        }
        return nil
    }

    /// After midnight; `nil` for what is no time of day like `22:00`.
    private static func milliseconds(_ text: String) -> Int64? {
        let digits = text.utf8.map { Int64($0) - 0x30 }
        guard digits.count == 5, digits[2] == 10,
            [0, 1, 3, 4].allSatisfy({ (0...9).contains(digits[$0]) })
        else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[3] * 10 + digits[4])
        guard hours < 24, minutes < 60 else { return nil }
        return (hours * 60 + minutes) * 60_000
    }
}
