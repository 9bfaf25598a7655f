import ParleyProtocol

/// `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
    static let longest: Duration = .seconds(86_400)

    /// - Returns: at most a day, at least nothing; `nil` for what is neither seconds nor a date.
    static func parse(_ text: String?, now: Timestamp) -> Duration? {
        guard let text else { return nil }
        let bytes = Array(text.utf8)
        if (1...10).contains(bytes.count), bytes.allSatisfy(\.isASCIIDigit) {
            return min(.seconds(Int64(text) ?? .max), longest)
        }
        guard let date = HTTPDate.parse(bytes) else { return nil }
        let wait = max(0, min(date.milliseconds - now.milliseconds, 86_400_000))
        return .milliseconds(wait)
    }
}

/// A date of HTTP (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the two obsolete forms.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `nil` for any other form.
    static func parse(_ text: [UInt8]) -> Timestamp? {
        guard text.count <= 40 else { return nil }
        let words = text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
            .map { String(decoding: $0, as: UTF8.self) }
        // IMF-fixdate and RFC 850: weekday, day, month, year, time, GMT.
        if words.count == 6, words[5] == "GMT" {
            return date(year: words[3], month: words[2], day: words[1], time: words[4])
        }
        // asctime: weekday, month, day, time, year.
        guard words.count == 5 else { return nil }
        return date(year: words[4], month: words[1], day: words[2], time: words[3])
    }

    private static func date(year: String, month: String, day: String, time: String) -> Timestamp? {
        guard let month = months.firstIndex(of: month), let day = number(day, digits: 1...2),
            let year = number(year, digits: 2...4), year >= 1000 || year < 100
        else { return nil }
        // Two digits are of this century: a retry lies in the future.
        let fullYear = year < 100 ? year + 2000 : year
        guard time.utf8.count == 8 else { return nil }
        let text = pad(fullYear, 4) + "-" + pad(month + 1, 2) + "-" + pad(day, 2) + "T" + time + ".000Z"
        return Timestamp(parsing: Array(text.utf8).span)
    }

    private static func number(_ text: String, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count),
            text.utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        return Int(text)
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
