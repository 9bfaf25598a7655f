import ParleyProtocol

/// A calendar week in a time zone: half-open, from the first instant of its Monday to that of the next.
package struct WeekPeriod: Hashable, Sendable {
    package let week: ISOWeek
    package let startsAt: Timestamp
    package let endsAt: Timestamp

    package init(_ week: ISOWeek, in zone: CivilZone) {
        self.week = week
        startsAt = zone.beginning(of: week.monday)
        endsAt = zone.beginning(of: week.next.monday)
    }

    /// The week at a time.
    package init(at time: Timestamp, in zone: CivilZone) {
        self.init(ISOWeek(of: zone.day(at: time)), in: zone)
        // Where clocks go back over a Monday's midnight it is Sunday again, and the new week has begun.
        if time >= endsAt { self.init(week.next, in: zone) }
    }

    package init(week: ISOWeek, startsAt: Timestamp, endsAt: Timestamp) {
        (self.week, self.startsAt, self.endsAt) = (week, startsAt, endsAt)
    }

    package func contains(_ time: Timestamp) -> Bool { startsAt <= time && time < endsAt }

    /// When its boards become final.
    package func closesAt(grace: Duration) -> Timestamp { endsAt.advanced(by: grace) }

    /// Whether its boards are final. A clock that is set back may reopen it.
    package func isFinal(at now: Timestamp, grace: Duration) -> Bool { now >= closesAt(grace: grace) }
}
