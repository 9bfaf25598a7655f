import ParleyProtocol

/// Decides who may make an account for themselves, and under which id.
package enum RegistrationRule {
    /// Names of the gateway's own, which no person has.
    private static let reserved: Set<UserID> = [
        UserID(validated: "gateway"), DeviceAddress.operatorConsole.user, DeviceAddress.webDoor.user,
    ]

    /// - Throws: `forbidden` where only operators make accounts.
    package static func check(_ registration: Registration) throws(Rejection) {
        switch registration {
        case .open, .invited: return
        case .closed: throw Rejection(.forbidden, "Accounts are made by the operators here.")
        }
    }

    /// - Parameters:
    ///   - hasInvite: whether an invite is good; called only where that matters.
    ///   - isTaken: whether the id was ever a user's.
    /// - Throws: `forbidden` where only operators make accounts, `invite_invalid`, `conflict`
    package static func decide(
        _ registration: Registration, hasInvite: () throws -> Bool, user: UserID, isTaken: Bool
    ) throws {
        try check(registration)
        if registration == .invited { guard try hasInvite() else { throw Rejection.inviteInvalid } }
        guard !isTaken, !reserved.contains(user) else {
            throw Rejection(.conflict, "This user id is taken.")
        }
    }
}

/// Decides whether `accounts/verify` opens a registration.
package enum VerifyRegistrationRule {
    package enum Decision: Hashable, Sendable {
        /// It counts as an attempt.
        case wrongCode
        /// The code is one, but of another's registration: that is no guess.
        case otherPassword
        case open
    }

    /// - Parameters:
    ///   - isCode: whether the code is a live one of the address.
    ///   - owner: the user of the address.
    ///   - isPassword: whether the password is that of the code's registration.
    package static func decide(isCode: Bool, owner: UserID?, isPassword: Bool) -> Decision {
        guard isCode, owner == nil else { return .wrongCode }
        return isPassword ? .open : .otherPassword
    }
}

/// Decides which mail `accounts/send-code` sends.
package enum SendCodeRule {
    package enum Decision: Hashable, Sendable {
        /// A code for a new password.
        case reset(UserID)
        /// The code of the registration at this index, once more.
        case again(Int)
        /// A new code of the registration at this index, whose own are void.
        case renew(Int)
        /// The address is unknown.
        case nothing
    }

    /// - Parameters:
    ///   - owner: the user of the address.
    ///   - registrations: the live codes of registrations, the newest first.
    package static func decide(owner: UserID?, registrations: [AccountCodeRule.Sent]) -> Decision {
        if let owner { return .reset(owner) }
        if let usable = registrations.firstIndex(where: { !$0.isVoid }) { return .again(usable) }
        return registrations.isEmpty ? .nothing : .renew(0)
    }
}
