/// A calendar day without a zone: `2026-01-15` (proleptic Gregorian).
public struct CivilDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Days since 1970-01-01; negative before.
    public let daysSinceEpoch: Int

    /// Clamped to the years 0 to 9999 of its text form.
    public init(daysSinceEpoch: Int) {
        self.daysSinceEpoch = min(max(daysSinceEpoch, CivilDay.range.lowerBound), CivilDay.range.upperBound)
    }

    /// `nil` for a day that no calendar has.
    public init?(year: Int, month: Int, day: Int) {
        guard (0...9999).contains(year),
            let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day))
        else { return nil }
        self.init(daysSinceEpoch: Int(date.daysSinceEpoch))
    }

    /// Parses exactly the form of `description`.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = bytes.decimal(0..<4), let month = bytes.decimal(5..<7), let day = bytes.decimal(8..<10)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day at an offset from UTC, in seconds.
    package init(_ time: Timestamp, offset seconds: Int = 0) {
        let local = time.milliseconds + Int64(seconds) * 1000
        self.init(daysSinceEpoch: Int(local >= 0 ? local / 86_400_000 : (local - 86_399_999) / 86_400_000))
    }

    // 0000-01-01 and 9999-12-31.
    private static let range = -719_528...2_932_896

    public static func < (left: CivilDay, right: CivilDay) -> Bool { left.daysSinceEpoch < right.daysSinceEpoch }

    public func advanced(byDays days: Int) -> CivilDay { CivilDay(daysSinceEpoch: daysSinceEpoch + days) }

    public func days(to other: CivilDay) -> Int { other.daysSinceEpoch - daysSinceEpoch }

    /// 0 for Monday to 6 for Sunday.
    public var weekday: Int {
        // 1970-01-01 was a Thursday.
        let remainder = (daysSinceEpoch + 3) % 7
        return remainder < 0 ? remainder + 7 : remainder
    }

    public var year: Int { Int(CivilDate(daysSinceEpoch: Int64(daysSinceEpoch)).year) }

    /// In UTC.
    package var midnight: Timestamp { Timestamp(milliseconds: Int64(daysSinceEpoch) * 86_400_000) }

    public var description: String {
        let date = CivilDate(daysSinceEpoch: Int64(daysSinceEpoch))
        return "\(date.year.padded(4))-\(date.month.padded(2))-\(date.day.padded(2))"
    }
}

extension FixedWidthInteger {
    func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: digits.count < width ? width - digits.count : 0) + digits
    }
}

extension [UInt8] {
    /// `nil` unless all are ASCII digits.
    func decimal(_ range: Range<Int>) -> Int? {
        var value = 0
        for byte in self[range] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
