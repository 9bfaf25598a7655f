import ParleyProtocol

/// Decides `accounts/sign-in`.
package enum SignInRule {
    package struct Facts: Sendable {
        /// The user whose password was given; `nil` for a wrong one.
        package let verified: UserID?
        /// The user of the address now.
        package let owner: UserID?
        /// Whether the password is still the one that was compared.
        package let isCurrent: Bool

        package init(verified: UserID?, owner: UserID?, isCurrent: Bool) {
            (self.verified, self.owner, self.isCurrent) = (verified, owner, isCurrent)
        }
    }

    /// - Returns: the user who signs in.
    /// - Throws: `unauthenticated`, the same for every address and password.
    package static func decide(_ facts: Facts) throws(Rejection) -> UserID {
        guard let user = facts.verified, facts.owner == user, facts.isCurrent else { throw .notSignedIn }
        return user
    }
}

/// Decides `accounts/sign-in-with`.
package enum SignInByProviderRule {
    package enum Decision: Hashable, Sendable {
        case signIn(UserID)
        case register(NewUser)
    }

    /// - Parameter owner: the user of the identity.
    /// - Throws: `not_found` for an unknown identity without a new user.
    package static func decide(owner: UserID?, newUser: NewUser?) throws(Rejection) -> Decision {
        if let owner { return .signIn(owner) }
        guard let newUser else {
            throw Rejection(.notFound, "Nobody signs in with this identity yet; a user_id is needed for a new account.")
        }
        return .register(newUser)
    }
}

/// Decides whether a user may sign in on a device.
package enum SignInDeviceRule {
    /// A user's devices that are signed in. Each message is sealed for every one of them.
    package static let mostDevices = 64

    /// - Parameters:
    ///   - devices: the number of the user's devices.
    ///   - isNew: whether one more is made.
    /// - Throws: `forbidden`
    package static func decide(devices: Int, isNew: Bool) throws(Rejection) {
        guard !isNew || devices < mostDevices else {
            throw Rejection(.forbidden, "You have \(mostDevices) devices; sign in as one of them, or revoke one.")
        }
    }
}

extension Rejection {
    /// The same for every address and password, and for a user who has gone.
    package static let notSignedIn = Rejection(.unauthenticated, "The email address or the password is wrong.")
}
