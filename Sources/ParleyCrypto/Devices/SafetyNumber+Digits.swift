import ParleyProtocol

/// The result of comparing typed digits.
public enum SafetyDigitsComparison: Hashable, Sendable {
    /// They match, and cover the other user's keys.
    case match
    /// They do not match.
    case mismatch
    /// Too few to cover the other user's keys: this many groups of five are needed.
    case tooShort(groups: Int)
    /// No digits, or too many.
    case unreadable
}

extension SafetyNumber {
    /// The least digits of the other user's half: three groups, some 50 bits.
    private static let leastDigits = 15
    private static let halfLength = 30

    /// Compares the first digits, as typed; white space is ignored.
    ///
    /// One half of the number is the user's own. So three groups suffice if the other user's half comes first, and nine
    /// if it comes second.
    public func compare(digits typed: String) -> SafetyDigitsComparison {
        let given = typed.utf8.filter { ![UInt8(ascii: " "), 9, 10, 13].contains($0) }
        guard (1...2 * SafetyNumber.halfLength).contains(given.count),
            given.allSatisfy(\.isASCIIDigit)
        else { return .unreadable }
        let isPeerFirst = peer.fingerprint.digits <= own.fingerprint.digits
        let needed = SafetyNumber.leastDigits + (isPeerFirst ? 0 : SafetyNumber.halfLength)
        guard given.count >= needed else { return .tooShort(groups: needed / 5) }
        return Array(digits.utf8).starts(with: given) ? .match : .mismatch
    }
}
