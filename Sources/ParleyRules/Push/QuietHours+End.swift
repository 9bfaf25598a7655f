import ParleyProtocol

extension QuietHours {
    /// When quiet hours that run at this time end: the first instant at which clocks there show `to` or more.
    ///
    /// They begin at the first instant of a day at which clocks show `from` or more, and end at `to` of that day, or of
    /// the next where `to` is no later than `from`. What clocks show twice in a night therefore begins and ends them
    /// once.
    ///
    /// - Parameter zone: where the user is.
    /// - Returns: `nil` outside of them; always where the two are the same.
    package func end(ifQuietAt time: Timestamp, in zone: CivilZone) -> Timestamp? {
        guard let from = QuietHours.minutes(from), let to = QuietHours.minutes(to), from != to else { return nil }
        // Where the end is left out by clocks that go forward, the next quiet hours can begin at once.
        var end: Timestamp?
        for _ in 0..<4 {
            guard let next = period(at: end ?? time, from: from * 60_000, to: to * 60_000, in: zone) else { break }
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
}
