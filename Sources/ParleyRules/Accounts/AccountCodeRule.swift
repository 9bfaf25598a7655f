import ParleyProtocol

/// Decides whether a code opens what it was sent for.
///
/// A code has 10⁸ values and is void after five wrong ones, and a mail goes to an address a few times an hour: whoever
/// guesses is right once in some millions of mails.
package enum AccountCodeRule {
    package static let lifetime = Duration.seconds(900)
    package static let mostAttempts = 5
    /// Live codes of one address and purpose; a mail may be lost, and be asked for again.
    package static let mostCodes = 3

    /// - Parameter attempts: wrong ones that were given for a code.
    package static func isVoid(attempts: Int) -> Bool { attempts >= mostAttempts }

    /// - Parameter sent: the live codes of the address, with the wrong ones that were given for each.
    /// - Returns: the place of the code in `sent`; `nil` for a wrong one. All are compared, in time that does not tell
    ///   where they differ.
    package static func find(_ code: AccountCode, in sent: [(code: AccountCode, attempts: Int)]) -> Int? {
        var found: Int?
        for (index, sent) in sent.enumerated() where !isVoid(attempts: sent.attempts) {
            if isEqual(code, sent.code) { found = index }
        }
        return found
    }

    private static func isEqual(_ one: AccountCode, _ other: AccountCode) -> Bool {
        zip(one.digits.utf8, other.digits.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
