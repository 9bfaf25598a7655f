/// A time of the protocol: UTC, whole milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable, CodableAsText {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// Clamped to the range of the text form.
    public func advanced(byMilliseconds delta: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
        guard !overflow else { return delta > 0 ? .latest : .earliest }
        return min(max(Timestamp(milliseconds: sum), .earliest), .latest)
    }

    package mutating func advance(byMilliseconds delta: Int64) { self = advanced(byMilliseconds: delta) }

    /// The next multiple of `step` milliseconds, or this time if it is one.
    package func roundedUp(to step: Int64) -> Timestamp {
        let past = milliseconds - milliseconds.flooredDivision(by: step) * step
        return past == 0 ? self : advanced(byMilliseconds: step - past)
    }

    /// The range of RFC 3339: `0000-01-01T00:00:00.000Z` to `9999-12-31T23:59:59.999Z`.
    public static let earliest = Timestamp(milliseconds: -62_167_219_200_000)
    public static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    /// Appends the 24 characters of RFC 3339 with milliseconds, `2026-01-15T09:30:00.000Z`.
    public func append(to output: inout [UInt8]) {
        let clamped = min(max(milliseconds, Timestamp.earliest.milliseconds), Timestamp.latest.milliseconds)
        let day = clamped.flooredDivision(by: 86_400_000)
        let inDay = clamped - day * 86_400_000
        let date = CivilDate(daysSinceEpoch: day)
        output.append(addingCapacity: 24) { text in
            text.appendDecimal(date.year, width: 4)
            text.append(UInt8(ascii: "-"))
            text.appendDecimal(date.month, width: 2)
            text.append(UInt8(ascii: "-"))
            text.appendDecimal(date.day, width: 2)
            text.append(UInt8(ascii: "T"))
            text.appendDecimal(inDay / 3_600_000, width: 2)
            text.append(UInt8(ascii: ":"))
            text.appendDecimal(inDay / 60_000 % 60, width: 2)
            text.append(UInt8(ascii: ":"))
            text.appendDecimal(inDay / 1000 % 60, width: 2)
            text.append(UInt8(ascii: "."))
            text.appendDecimal(inDay % 1000, width: 3)
            text.append(UInt8(ascii: "Z"))
        }
    }

    /// Parses exactly the form that `append` writes; `nil` for any other and for days that no calendar has.
    public init?(parsing text: Span<UInt8>) {
        guard text.count == 24 else { return nil }
        let punctuation: [(Int, Character)] = [
            (4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "."), (23, "Z"),
        ]
        for (index, mark) in punctuation where text[index] != mark.asciiValue { return nil }
        guard let year = text.decimal(0..<4), let month = text.decimal(5..<7), let day = text.decimal(8..<10),
            let hour = text.decimal(11..<13), let minute = text.decimal(14..<16), let second = text.decimal(17..<19),
            let millisecond = text.decimal(20..<23),
            hour < 24, minute < 60, second < 60,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        milliseconds =
            date.daysSinceEpoch * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1000 + millisecond
    }

    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(parsing: bytes.span)
    }

    public var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    public static var textForm: String { "an RFC 3339 time in UTC" }
}

/// A day of the proleptic Gregorian calendar, by Howard Hinnant's `days_from_civil` and `civil_from_days`.
struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[Int(month - 1)] else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSinceEpoch days: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSinceEpoch: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredDivision(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

extension Span<UInt8> {
    fileprivate func decimal(_ range: Range<Int>) -> Int64? {
        var value: Int64 = 0
        for index in range {
            guard self[index] >= 0x30, self[index] <= 0x39 else { return nil }
            value = value * 10 + Int64(self[index] - 0x30)
        }
        return value
    }
}

extension OutputSpan<UInt8> {
    /// Divides by constants only: other divisions would cost more than the rest of a time's text.
    @inline(__always)
    fileprivate mutating func appendDecimal(_ value: Int64, width: Int) {
        if width > 3 { append(UInt8(truncatingIfNeeded: 0x30 + value / 1000 % 10)) }
        if width > 2 { append(UInt8(truncatingIfNeeded: 0x30 + value / 100 % 10)) }
        append(UInt8(truncatingIfNeeded: 0x30 + value / 10 % 10))
        append(UInt8(truncatingIfNeeded: 0x30 + value % 10))
    }
}
