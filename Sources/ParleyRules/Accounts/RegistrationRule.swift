import ParleyProtocol

/// Decides who may make an account for themselves, and under which id.
package enum RegistrationRule {
    /// Names of the gateway's own, which no person has.
    private static let reserved: Set<String> = ["gateway", "operator", "web"]

    /// - Throws: `forbidden` where only operators make accounts
    package static func checkIsPossible(_ registration: Registration) throws(Rejection) {
        switch registration {
        case .open, .invited: return
        case .closed: throw Rejection(.forbidden, "Accounts are made by the operators here.")
        }
    }

    /// - Parameters:
    ///   - hasInvite: whether an invite is good; called only where that matters.
    ///   - isTaken: whether the id was ever a user's.
    /// - Throws: `forbidden` where only operators make accounts, `invite_invalid`, `conflict`
    package static func check(
        _ registration: Registration, hasInvite: () throws -> Bool, user: UserID, isTaken: Bool
    ) throws {
        try checkIsPossible(registration)
        if registration == .invited { guard try hasInvite() else { throw Rejection.inviteInvalid } }
        guard !isTaken, !reserved.contains(user.text) else { throw Rejection.userTaken }
    }
}

extension Rejection {
    fileprivate static let userTaken = Rejection(.conflict, "This user id is taken.")
}
