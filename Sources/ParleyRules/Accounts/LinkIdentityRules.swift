import ParleyProtocol

/// Decides `account/link`.
package enum LinkIdentityRule {
    package enum Decision: Hashable, Sendable {
        case sendCode
        /// The owner of the address is told; the caller does not learn that there is one.
        case tellOwner
    }

    /// - Parameter owner: the user of the address.
    package static func decide(addressOf owner: UserID?, by caller: UserID) -> Decision {
        owner ?? caller == caller ? .sendCode : .tellOwner
    }

    /// - Parameters:
    ///   - owner: the user of the provider's identity.
    ///   - replaces: whether the caller has another one of this provider.
    /// - Throws: `conflict` for another user's, and for a second one.
    package static func decide(identityOf owner: UserID?, by caller: UserID, replaces: Bool) throws(Rejection) {
        guard owner ?? caller == caller else {
            throw Rejection(.conflict, "Another account signs in with this identity.")
        }
        guard !replaces else {
            throw Rejection(.conflict, "You sign in with another identity of this provider; unlink it first.")
        }
    }
}

/// Decides `account/confirm`.
package enum ConfirmEmailRule {
    package struct Facts: Sendable {
        /// The user whom the code was sent for; `nil` for a wrong code.
        package let codeUser: UserID?
        /// The user of the address now.
        package let owner: UserID?
        package let hasPassword: Bool

        package init(codeUser: UserID?, owner: UserID?, hasPassword: Bool) {
            (self.codeUser, self.owner, self.hasPassword) = (codeUser, owner, hasPassword)
        }
    }

    package enum Decision: Hashable, Sendable {
        /// It counts as an attempt.
        case wrongCode
        /// - Parameter setsPassword: whether the password of the code becomes the user's first.
        case link(setsPassword: Bool)
    }

    package static func decide(_ facts: Facts, by caller: UserID) -> Decision {
        guard facts.codeUser == caller, facts.owner ?? caller == caller else { return .wrongCode }
        return .link(setsPassword: !facts.hasPassword)
    }
}

/// Decides `account/unlink`.
package enum UnlinkIdentityRule {
    /// - Parameter ways: all by which the user signs in.
    /// - Returns: whether it is one of them.
    /// - Throws: `conflict` for the last one.
    package static func decide(_ provider: IdentityProviderName, from ways: [IdentityProviderName]) throws(Rejection)
        -> Bool
    {
        guard ways.contains(provider) else { return false }
        guard ways.count > 1 else {
            throw Rejection(.conflict, "This is your only way to sign in; link another one first.")
        }
        return true
    }
}
