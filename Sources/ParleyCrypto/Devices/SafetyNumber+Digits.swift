import ParleyProtocol

/// What digits that somebody typed in have shown.
public enum SafetyDigitsComparison: Hashable, Sendable {
    /// They are this number's, and cover the other user's keys.
    case match
    /// They are another number's.
    case mismatch
    /// So few show nothing of the other user's keys: so many groups of five are needed.
    case tooShort(groups: Int)
    /// Not digits, or more of them than a number has.
    case unreadable
}

extension SafetyNumber {
    /// How many digits of the other user's half have to be there: three groups, some 50 bits.
    private static let leastDigits = 15
    private static let halfLength = 30

    /// Compares digits that were typed in, from the first one on; white space between them says nothing.
    ///
    /// One half of the number is the own user's, whose keys nobody disputes. So three groups do where the other user's
    /// half comes first, and nine where it comes second.
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
