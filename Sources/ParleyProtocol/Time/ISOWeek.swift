/// A week of ISO 8601, from Monday to Sunday: `2026-W03`. The first week of a year contains its first Thursday.
public struct ISOWeek: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let monday: CivilDay

    public init(of day: CivilDay) { monday = day.advanced(byDays: -day.weekday) }

    /// `nil` for a week that the year does not have.
    public init?(year: Int, number: Int) {
        guard (1...53).contains(number), let january4 = CivilDay(year: year, month: 1, day: 4) else { return nil }
        self.init(of: january4.advanced(byDays: 7 * (number - 1)))
        guard self.year == year else { return nil }
    }

    /// Parses exactly the form of `description`.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 8, bytes[4] == UInt8(ascii: "-"), bytes[5] == UInt8(ascii: "W"),
            let year = bytes.decimal(0..<4), let number = bytes.decimal(6..<8)
        else { return nil }
        self.init(year: year, number: number)
    }

    public static func < (left: ISOWeek, right: ISOWeek) -> Bool { left.monday < right.monday }

    /// The year of its Thursday.
    public var year: Int { monday.advanced(byDays: 3).year }

    /// 1 to 53.
    public var number: Int {
        guard let first = CivilDay(year: year, month: 1, day: 1) else { return 1 }
        return first.days(to: monday.advanced(byDays: 3)) / 7 + 1
    }

    public var next: ISOWeek { ISOWeek(of: monday.advanced(byDays: 7)) }
    public var previous: ISOWeek { ISOWeek(of: monday.advanced(byDays: -7)) }

    public var description: String { "\(year.padded(4))-W\(number.padded(2))" }
}
