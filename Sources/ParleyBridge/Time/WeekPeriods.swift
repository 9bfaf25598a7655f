import ParleyProtocol
import ParleyRules
import Synchronization

/// The weeks of the zones of the IANA database.
enum WeekPeriods {
    /// The last used weeks of each zone.
    private static let known = Mutex<[String: [WeekPeriod]]>([:])
    /// The current week, the one before, and one more.
    private static let weeksOfZone = 3

    /// The week of a time in a zone.
    ///
    /// - Parameter name: of the zone; an unknown one counts as UTC.
    static func period(at time: Timestamp, in name: String) -> WeekPeriod {
        find(name, { $0.contains(time) }) { WeekPeriod(at: time, in: $0) }
    }

    static func period(_ week: ISOWeek, in name: String) -> WeekPeriod {
        find(name, { $0.week == week }) { WeekPeriod(week, in: $0) }
    }

    private static func find(
        _ name: String, _ isWanted: (WeekPeriod) -> Bool, _ make: (CivilZone) -> WeekPeriod
    ) -> WeekPeriod {
        if let period = known.withLock({ $0[name]?.first(where: isWanted) }) { return period }
        let period = make(CivilZones.zone(name) ?? .utc)
        known.withLock { known in
            var periods = known[name] ?? []
            periods.insert(period, at: 0)
            known[name] = Array(periods.prefix(weeksOfZone))
        }
        return period
    }
}
