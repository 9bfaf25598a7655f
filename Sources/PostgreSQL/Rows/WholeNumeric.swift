/// `numeric` in binary form (PostgreSQL's `numeric_send`): four numbers of 16 bits, namely how many digits of 10,000
/// there are, the power of 10,000 of the first, the sign, how many decimals are shown; and then the digits.
enum WholeNumeric {
    /// The number; `nil` for one with a fraction, of more than 64 bits, or none.
    static func value(_ bytes: Span<UInt8>) -> Int? {
        guard bytes.count >= 8 else { return nil }
        let count = Int(bytes.bigEndian(0..<2))
        let weight = Int(Int16(truncatingIfNeeded: bytes.bigEndian(2..<4)))
        let sign = bytes.bigEndian(4..<6)
        guard bytes.count == 8 + 2 * count, sign == 0 || sign == negative else { return nil }
        guard count > 0 else { return 0 }
        // Without a fraction the last digit's power is not below zero, and 64 bits have five digits.
        guard count <= weight + 1, weight < 5 else { return nil }
        // Added up below zero, where there is one number more.
        var number = 0
        for index in 0...weight {
            let digit = index < count ? Int(bytes.bigEndian(8 + 2 * index..<10 + 2 * index)) : 0
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10_000)
            let (sum, hasOverflown) = product.subtractingReportingOverflow(digit)
            guard digit < 10_000, !isTooLarge, !hasOverflown else { return nil }
            number = sum
        }
        if sign == negative { return number }
        return number == .min ? nil : -number
    }

    private static let negative: UInt64 = 0x4000
}
