import ArgumentParser
import ParleyProtocol

extension Timestamp: ExpressibleByArgument {
    /// From a time as RFC 3339 §5.6 writes it: with no fraction of a second or one of 1 to 9 digits, of which those
    /// behind the milliseconds are cut off, and in UTC or with an offset. `nil` for any other text, and for a time that
    /// is before the year 0 or after 9999 in UTC.
    public init?(argument: String) {
        let bytes = Array(argument.utf8)
        // The seconds end behind `2026-01-15T07:30:00`.
        guard bytes.count > 19, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t") else { return nil }
        var rest = bytes[19...]
        guard let fraction = rest.popFraction(), let offset = OffsetMinutes(rest) else { return nil }
        let text = String(decoding: bytes[..<10] + [UInt8(ascii: "T")] + bytes[11..<19], as: UTF8.self)
        guard let local = Timestamp("\(text).\(fraction)Z") else { return nil }
        let time = Timestamp(milliseconds: local.milliseconds - offset.minutes * 60_000)
        guard (Timestamp.earliest...Timestamp.latest).contains(time) else { return nil }
        self = time
    }
}

extension ArraySlice<UInt8> {
    /// Takes a fraction of a second, where there is one.
    ///
    /// - Returns: its three digits of milliseconds; `nil` for a point with no digit behind it, or with more than nine.
    fileprivate mutating func popFraction() -> String? {
        guard first == UInt8(ascii: ".") else { return "000" }
        let digits = dropFirst().prefix(while: \.isDigit)
        guard (1...9).contains(digits.count) else { return nil }
        self = self[digits.endIndex...]
        let milliseconds = digits.prefix(3)
        return String(decoding: milliseconds, as: UTF8.self) + String(repeating: "0", count: 3 - milliseconds.count)
    }
}

/// By how many minutes clocks are ahead of UTC.
private struct OffsetMinutes {
    let minutes: Int64

    /// From `Z`, `+HH:MM` or `-HH:MM`.
    init?(_ bytes: ArraySlice<UInt8>) {
        let text = Array(bytes)
        if text == [UInt8(ascii: "Z")] || text == [UInt8(ascii: "z")] {
            minutes = 0
            return
        }
        guard text.count == 6, text[3] == UInt8(ascii: ":"),
            let sign: Int64 = text[0] == UInt8(ascii: "+") ? 1 : text[0] == UInt8(ascii: "-") ? -1 : nil,
            text[1].isDigit, text[2].isDigit, text[4].isDigit, text[5].isDigit
        else { return nil }
        func number(_ index: Int) -> Int64 { Int64(text[index] - 0x30) * 10 + Int64(text[index + 1] - 0x30) }
        guard number(1) < 24, number(4) < 60 else { return nil }
        minutes = sign * (number(1) * 60 + number(4))
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
