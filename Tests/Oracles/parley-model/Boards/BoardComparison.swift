import Oracles
import Foundation
import ParleyProtocol
import ParleyRules
import RepeatableRandom

/// The engine of boards beside the slow oracle, over random histories of a group.
package struct BoardComparison {
    /// A fault that is put in, and must be found.
    package enum Fault: String, Sendable, CaseIterable {
        case groupZoneIgnored, workoutZoneIgnored, deletionIgnored, capIgnored, joinIgnored, earlierRunIgnored,
            weekEndIgnored, oneZoneForAll, shortWeek, ranksForgotten, midnightByStandardTime
    }

    /// A board on which the two differ.
    package struct DifferenceError: Error, CustomStringConvertible {
        package let description: String
    }

    package struct Tally: Sendable, CustomStringConvertible {
        package var histories = 0
        package var boards = 0
        package var lines = 0
        package var longestStreak = 0
        package var lateWorkouts = 0
        package var rankChanges = 0
        package var overYearEnd = 0
        package var overClockChange = 0
        package var overLeapDay = 0

        package init() {}

        package static func += (left: inout Tally, right: Tally) {
            left.histories += right.histories
            left.boards += right.boards
            left.lines += right.lines
            left.longestStreak = max(left.longestStreak, right.longestStreak)
            left.lateWorkouts += right.lateWorkouts
            left.rankChanges += right.rankChanges
            left.overYearEnd += right.overYearEnd
            left.overClockChange += right.overClockChange
            left.overLeapDay += right.overLeapDay
        }

        /// What was never compared.
        package var unseen: [String] {
            let counts = [
                ("late workouts", lateWorkouts), ("changes of ranks", rankChanges), ("year ends", overYearEnd),
                ("changes of clocks", overClockChange), ("leap days", overLeapDay),
            ]
            return counts.filter { $0.1 == 0 }.map(\.0)
        }

        package var description: String {
            "\(histories) histories agree: \(boards) boards with \(lines) lines, \(rankChanges) with a rank that changed, "
                + "streaks up to \(longestStreak) days; \(lateWorkouts) workouts came late; \(overYearEnd) histories go over "
                + "a year's end, \(overClockChange) over a change of clocks, \(overLeapDay) over a leap day"
        }
    }

    private let seed: UInt64
    private let fault: Fault?

    package init(seed: UInt64, fault: Fault? = nil) {
        self.seed = seed
        self.fault = fault
    }

    /// - Throws: ``DifferenceError`` at the first board that differs.
    package func run(_ histories: Range<Int>) throws -> Tally {
        var tally = Tally()
        let (zones, calendar) = (ModelZones(), OracleCalendar())
        for number in histories {
            var mixed = SplitMix64(seed: seed &+ UInt64(number) &* 0xD134_2543_DE82_EF95)
            var history = BoardHistory(SplitMix64(seed: mixed.next()), zones, calendar, fault)
            do {
                try history.run(&tally)
            } catch let error as DifferenceError {
                throw DifferenceError(description: "history \(number) of seed \(seed): \(error.description)")
            }
            tally.histories += 1
        }
        return tally
    }
}

/// The zones of the histories, as Foundation has them.
final class ModelZones: Sendable {
    static let names = [
        "UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Los_Angeles", "America/St_Johns",
        "America/Sao_Paulo", "America/Santiago", "America/Havana", "Pacific/Auckland", "Pacific/Kiritimati",
        "Pacific/Honolulu", "Pacific/Apia", "Pacific/Chatham", "Australia/Lord_Howe", "Asia/Kathmandu", "Asia/Kolkata",
        "Asia/Tokyo", "Asia/Beirut", "Africa/Cairo", "Africa/Casablanca", "Atlantic/Azores",
    ]

    let zones: [String: CivilZone]
    private let foundation: [String: TimeZone]

    init() {
        let known = Dictionary(
            uniqueKeysWithValues: ModelZones.names.compactMap { name in TimeZone(identifier: name).map { (name, $0) } })
        foundation = known
        zones = known.mapValues { zone in
            CivilZone { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0.milliseconds) / 1000)) }
        }
    }

    func zone(_ name: String) -> CivilZone { zones[name] ?? .utc }

    func offset(_ name: String, _ time: Timestamp) -> Int {
        foundation[name]?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)) ?? 0
    }
}
