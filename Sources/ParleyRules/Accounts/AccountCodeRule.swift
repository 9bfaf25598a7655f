import ParleyProtocol

/// Decides which code goes to an address, and which code a given one is.
///
/// A code has 10⁸ values and is void after five wrong ones, and a mail goes to an address a few times an hour: a guess
/// is right once in some millions of mails.
package enum AccountCodeRule {
    package static let lifetime = Duration.seconds(60 * AccountCode.minutesOfLife)
    package static let mostAttempts = 5
    /// Live codes of one address and purpose; a mail may be lost, and be asked for again.
    package static let mostCodes = 3

    /// A live code of an address.
    package struct Sent: Sendable {
        /// The user whom it was sent for; `nil` for a registration.
        package let user: UserID?
        /// Wrong codes given for it.
        package let attempts: Int

        package init(for user: UserID?, attempts: Int) { (self.user, self.attempts) = (user, attempts) }

        /// A void code is of no use to the owner of the address.
        package var isVoid: Bool { attempts >= mostAttempts }
    }

    package enum Decision: Hashable, Sendable {
        /// A new code.
        case new
        /// The code at this index, once more.
        case again(Int)
        /// The address has as many codes as it may, all for others.
        case none
    }

    /// - Parameter sent: for the same purpose, the newest first.
    package static func decide(for user: UserID, sent: [Sent]) -> Decision {
        guard sent.count(where: { !$0.isVoid }) >= mostCodes else { return .new }
        return sent.firstIndex { !$0.isVoid && $0.user == user }.map { .again($0) } ?? .none
    }

    /// - Returns: the index of the code in `sent`; `nil` for a wrong one. All are compared, in time that does not tell
    ///   where they differ.
    package static func find(_ code: AccountCode, in sent: [(code: AccountCode, sent: Sent)]) -> Int? {
        var found: Int?
        for (index, sent) in sent.enumerated() where !sent.sent.isVoid {
            if isEqual(code, sent.code) { found = index }
        }
        return found
    }

    private static func isEqual(_ one: AccountCode, _ other: AccountCode) -> Bool {
        zip(one.digits.utf8, other.digits.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// Decides how a wrong code or an invalid identity token is refused.
package enum AccountRefusalRule {
    /// - Returns: `forbidden` in place of `unauthenticated` for a signed-in device, which stays signed in.
    package static func decide(_ rejection: Rejection, askers: Askers) -> Rejection {
        guard rejection.code == .unauthenticated, askers != .doors else { return rejection }
        return Rejection(.forbidden, rejection.message)
    }
}

extension Rejection {
    /// The same for a wrong code, an expired one, and an address to which none was sent.
    package static let codeInvalid = Rejection(.unauthenticated, "The code is wrong, or has expired.")
}
