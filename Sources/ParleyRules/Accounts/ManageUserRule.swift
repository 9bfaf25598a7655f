import ParleyProtocol

/// A user id, as operators' commands about users see it.
package enum UserStanding: Hashable, Sendable {
    /// A member who may sign in.
    case enabled
    /// A member who signs in nowhere until an operator enables them.
    case disabled
    /// The gateway's own: operators and doors.
    case reserved
    /// Was a member, whose account is deleted.
    case departed
}

/// Decides `admin/rename-user`, `…/disable-user`, `…/enable-user` and `…/remove-user`.
package enum ManageUserRule {
    /// - Parameter standing: `nil` for nobody.
    /// - Returns: whether the user is to be disabled; `false` for a repeat.
    /// - Throws: `not_found`; `forbidden` for the gateway's own users, by whom operators sign in.
    package static func disables(_ standing: UserStanding?) throws(Rejection) -> Bool {
        try member(standing) == .enabled
    }

    /// - Returns: whether the user is to be enabled; `false` for a repeat.
    /// - Throws: as `disables`.
    package static func enables(_ standing: UserStanding?) throws(Rejection) -> Bool {
        try member(standing) == .disabled
    }

    /// - Returns: whether the account is to be deleted; `false` for one that is.
    /// - Throws: as `disables`.
    package static func removes(_ standing: UserStanding?) throws(Rejection) -> Bool {
        guard standing != .departed else { return false }
        _ = try member(standing)
        return true
    }

    package enum Erasure: Hashable, Sendable {
        /// The account is deleted with it.
        case ofMember
        case ofDeparted
        case repeated
    }

    /// - Parameter isErased: whether that was asked for before.
    /// - Throws: as `disables`.
    package static func erases(_ standing: UserStanding?, isErased: Bool) throws(Rejection) -> Erasure {
        if standing == .departed { return isErased ? .repeated : .ofDeparted }
        _ = try member(standing)
        return .ofMember
    }

    /// Before anything of a user is read; a departed one has what is left of them.
    ///
    /// - Throws: as `disables`.
    package static func checkKnown(_ standing: UserStanding?) throws(Rejection) {
        if standing != .departed { _ = try member(standing) }
    }

    /// - Throws: as `disables`.
    package static func checkMember(_ standing: UserStanding?) throws(Rejection) { _ = try member(standing) }

    /// Before a token is made for a user.
    ///
    /// - Throws: `forbidden` for a disabled user: it would sign in nowhere.
    package static func checkEnabled(_ standing: UserStanding?, _ user: UserID) throws(Rejection) {
        guard standing != .disabled else {
            throw Rejection(.forbidden, "\(user) is disabled, and signs in nowhere until they are enabled.")
        }
    }

    private static func member(_ standing: UserStanding?) throws(Rejection) -> UserStanding {
        switch standing {
        case .enabled, .disabled: return standing ?? .enabled
        case nil: throw .userNotFound
        case .departed: throw Rejection(.notFound, "There is no such user any more: the account was deleted.")
        case .reserved: throw Rejection(.forbidden, "This user is the gateway's own.")
        }
    }
}
