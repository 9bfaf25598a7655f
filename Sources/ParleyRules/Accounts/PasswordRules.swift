import ParleyProtocol

/// Decides whether a request for the caller's own account has shown its password.
package enum PasswordRule {
    /// The result of comparing a password with the account's.
    package enum Proof: Hashable, Sendable {
        case right
        case wrong
        /// None was given.
        case missing
    }

    /// - Parameters:
    ///   - isCurrent: whether the account still has the password that was compared.
    ///   - hasPassword: whether the user has one now.
    /// - Throws: `forbidden` for a wrong one, and where one is needed and none was given. The device is signed in all
    ///   the same.
    package static func decide(_ proof: Proof, isCurrent: Bool, hasPassword: Bool) throws(Rejection) {
        guard hasPassword else { return }
        guard proof == .right, isCurrent else { throw Rejection(.forbidden, "The password is wrong.") }
    }
}

/// Decides `account/set-password`.
package enum SetPasswordRule {
    /// - Throws: `conflict` without an address, by which alone a password signs in.
    package static func decide(ways: [IdentityProviderName]) throws(Rejection) {
        guard ways.contains(.email) else {
            throw Rejection(.conflict, "A password signs in with an email address; link one first.")
        }
    }
}

/// Decides `accounts/reset`.
package enum ResetPasswordRule {
    /// - Parameters:
    ///   - codeUser: the user whom the code was sent for; `nil` for a wrong code.
    ///   - owner: the user of the address now.
    /// - Returns: the user who gets the new password; `nil` for a wrong code, which counts as an attempt.
    package static func decide(codeUser: UserID?, owner: UserID?) -> UserID? { codeUser == owner ? owner : nil }
}

/// Decides `account/delete`.
package enum DeleteAccountRule {
    /// - Parameter user: the one that the request names.
    /// - Throws: `forbidden`
    package static func decide(_ user: UserID, by caller: UserID) throws(Rejection) {
        guard user == caller else { throw Rejection(.forbidden, "Nobody deletes the account of another.") }
    }
}
