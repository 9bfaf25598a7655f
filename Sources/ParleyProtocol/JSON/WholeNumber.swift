/// A JSON number that is a whole number, whichever way it is spelled: `60`, `60.0`, `6e1`, `600e-1`.
enum WholeNumber {
    /// The most characters that are looked at; a longer spelling is none that a client would use.
    private static let longestSpelling = 40

    /// `nil` for a fraction, for what does not fit `Int`, and for absurd spellings. `text` is a scanned JSON number.
    static func parse(_ text: Span<UInt8>) -> Int? {
        guard text.count > 0, text.count <= longestSpelling else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        var index = isNegative ? 1 : 0
        var digits: [UInt8] = []
        var fractionDigits = 0
        while index < text.count, isDigit(text[index]) {
            digits.append(text[index] &- 0x30)
            index += 1
        }
        if index < text.count, text[index] == UInt8(ascii: ".") {
            index += 1
            while index < text.count, isDigit(text[index]) {
                digits.append(text[index] &- 0x30)
                fractionDigits += 1
                index += 1
            }
        }
        guard let exponent = exponent(text, from: index) else { return nil }
        return value(digits, shift: exponent - fractionDigits, isNegative: isNegative)
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

    /// `digits` × 10^`shift`, if that is whole and fits.
    private static func value(_ digits: [UInt8], shift: Int, isNegative: Bool) -> Int? {
        var digits = digits[...]
        var shift = shift
        while shift < 0, let last = digits.last, last == 0 {
            digits = digits.dropLast()
            shift += 1
        }
        if digits.allSatisfy({ $0 == 0 }) { return 0 }
        guard shift >= 0, shift <= 19 else { return nil }
        var value = 0
        for digit in digits + [UInt8](repeating: 0, count: shift) {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            // Counted downwards, because the least number has no positive counterpart.
            let (sum, carry) = product.subtractingReportingOverflow(Int(digit))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        if isNegative { return value }
        return value == Int.min ? nil : -value
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
