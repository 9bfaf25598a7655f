import ParleyProtocol

/// A week of the calendar where a group counts it: half-open, from the first instant of its Monday to that of the next.
package struct WeekPeriod: Hashable, Sendable {
    package let week: ISOWeek
    package let startsAt: Timestamp
    package let endsAt: Timestamp

    package init(_ week: ISOWeek, in zone: CivilZone) {
        self.week = week
        startsAt = zone.beginning(of: week.monday)
        endsAt = zone.beginning(of: week.next.monday)
    }

    /// The week that runs at this time.
    package init(at time: Timestamp, in zone: CivilZone) {
        self.init(ISOWeek(of: zone.day(at: time)), in: zone)
        // Where clocks go back over a Monday's midnight it is Sunday again, and the new week has begun.
        if time >= endsAt { self.init(week.next, in: zone) }
    }

    package init(week: ISOWeek, startsAt: Timestamp, endsAt: Timestamp) {
        (self.week, self.startsAt, self.endsAt) = (week, startsAt, endsAt)
    }

    package func contains(_ time: Timestamp) -> Bool { startsAt <= time && time < endsAt }

    /// When its boards become final: so long they take what comes late.
    package func closesAt(grace: Duration) -> Timestamp { endsAt.advanced(by: grace) }

    /// Whether nothing more is taken for it. Where the clock goes back this does, too.
    package func isFinal(at now: Timestamp, grace: Duration) -> Bool { now >= closesAt(grace: grace) }
}
