/// Classes of characters that texts from outside may contain.
extension UInt8 {
    package var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    package var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: isASCIIDigit
        }
    }

    /// The value of a hexadecimal digit in either case.
    package var hexadecimal: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension String {
    /// Whether every character is a letter or digit of ASCII or one of `others`.
    package func consists(ofLettersDigitsAnd others: String) -> Bool {
        utf8.allSatisfy { $0.isASCIILetterOrDigit || others.utf8.contains($0) }
    }
}
