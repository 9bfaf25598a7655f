/// A JSON number with a whole value, in any spelling: `60`, `60.0`, `6e1`, `600e-1`.
enum WholeNumber {
    /// In characters; no client uses a longer spelling.
    private static let longestSpelling = 40

    /// `nil` for a fraction, a number beyond `Int`, and a spelling that is too long. `text` is a scanned JSON number.
    static func parse(_ text: Span<UInt8>) -> Int? {
        guard text.count > 0, text.count <= longestSpelling else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        var mantissa = Mantissa(start: isNegative ? 1 : 0)
        var index = mantissa.start
        while index < text.count, isDigit(text[index]) {
            mantissa.add(text[index])
            index += 1
        }
        if index < text.count, text[index] == UInt8(ascii: ".") {
            index += 1
            while index < text.count, isDigit(text[index]) {
                mantissa.add(text[index])
                mantissa.fractionDigits += 1
                index += 1
            }
        }
        guard let exponent = exponent(text, from: index) else { return nil }
        return value(of: mantissa, in: text, exponent: exponent, isNegative: isNegative)
    }

    /// The digits before an exponent: their place, perhaps with a point among them, and their number.
    private struct Mantissa {
        let start: Int
        var digits = 0
        var fractionDigits = 0
        /// The number of zeros at the end.
        var trailingZeros = 0

        init(start: Int) { self.start = start }

        mutating func add(_ digit: UInt8) {
            digits += 1
            trailingZeros = digit == 0x30 ? trailingZeros + 1 : 0
        }
    }

    private static func exponent(_ text: Span<UInt8>, from start: Int) -> Int? {
        guard start < text.count else { return 0 }
        var index = start + 1
        var isNegative = false
        if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
            isNegative = text[index] == UInt8(ascii: "-")
            index += 1
        }
        var value = 0
        while index < text.count {
            guard value < 1000 else { return nil }
            value = value * 10 + Int(text[index] &- 0x30)
            index += 1
        }
        return isNegative ? -value : value
    }

    /// The mantissa × 10^`exponent`, if that is whole and fits.
    private static func value(
        of mantissa: Mantissa, in text: Span<UInt8>, exponent: Int, isNegative: Bool
    ) -> Int? {
        if mantissa.trailingZeros == mantissa.digits { return 0 }
        // Zeros at the end that only a point or a negative exponent makes whole.
        let shift = exponent - mantissa.fractionDigits
        let dropped = min(mantissa.trailingZeros, max(0, -shift))
        guard shift + dropped >= 0, shift + dropped <= 19 else { return nil }
        // Counts down, because the least number has no positive counterpart.
        var value = 0
        var left = mantissa.digits - dropped
        var index = mantissa.start
        while left > 0 {
            if isDigit(text[index]) {
                guard append(text[index] &- 0x30, to: &value) else { return nil }
                left -= 1
            }
            index += 1
        }
        for _ in 0..<(shift + dropped) {
            guard append(0, to: &value) else { return nil }
        }
        if isNegative { return value }
        return value == Int.min ? nil : -value
    }

    private static func append(_ digit: UInt8, to value: inout Int) -> Bool {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.subtractingReportingOverflow(Int(digit))
        value = sum
        return !overflow && !carry
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
