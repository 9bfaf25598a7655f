import ParleyProtocol

/// Decides what people do with their own accounts.
package enum AccountRule {
    /// A user's devices that are signed in. Each message is sealed for every one of them.
    package static let mostDevices = 64

    /// - Parameters:
    ///   - devices: the number of the user's devices.
    ///   - isNew: whether one more is made.
    /// - Throws: `forbidden`
    package static func checkDevices(_ devices: Int, isNew: Bool) throws(Rejection) {
        guard !isNew || devices < mostDevices else {
            throw Rejection(.forbidden, "You have \(mostDevices) devices; sign in as one of them, or revoke one.")
        }
    }

    /// `account/unlink`
    ///
    /// - Parameter ways: all by which the user signs in.
    /// - Returns: whether there is such a one.
    /// - Throws: `conflict` for the last one.
    package static func unlink(
        _ provider: IdentityProviderName, from ways: [IdentityProviderName]
    ) throws(Rejection) -> Bool {
        guard ways.contains(provider) else { return false }
        guard ways.count > 1 else {
            throw Rejection(.conflict, "This is your only way to sign in; link another one first.")
        }
        return true
    }

    /// Whether somebody has shown that they know the password of an account.
    package enum Proof: Hashable, Sendable {
        case right
        case wrong
        /// None was given.
        case missing
    }

    /// - Parameter hasPassword: whether the user has one now.
    /// - Throws: `forbidden` for a wrong one, and where one is needed and none was given. The device is signed in all
    ///   the same.
    package static func checkPassword(_ proof: Proof, hasPassword: Bool) throws(Rejection) {
        guard hasPassword else { return }
        switch proof {
        case .right: return
        case .wrong, .missing: throw Rejection(.forbidden, "The password is wrong.")
        }
    }

    /// `account/set-password`
    ///
    /// - Throws: `conflict` without an address, by which alone a password signs in.
    package static func checkEmail(_ ways: [IdentityProviderName]) throws(Rejection) {
        guard ways.contains(.email) else {
            throw Rejection(.conflict, "A password signs in with an email address; link one first.")
        }
    }

    /// `account/link` of a provider's identity.
    ///
    /// - Parameters:
    ///   - owner: whose it is; `nil` if it is nobody's.
    ///   - replaces: whether the caller has another one of this provider.
    /// - Throws: `conflict` for somebody else's, and for a second one.
    package static func link(ownedBy owner: UserID?, by caller: UserID, replaces: Bool) throws(Rejection) {
        guard owner ?? caller == caller else {
            throw Rejection(.conflict, "Another account signs in with this identity.")
        }
        guard !replaces else {
            throw Rejection(.conflict, "You sign in with another identity of this provider; unlink it first.")
        }
    }

    /// `account/delete`
    ///
    /// - Parameter user: whom the request names.
    /// - Throws: `forbidden`
    package static func delete(_ user: UserID, by caller: UserID) throws(Rejection) {
        guard user == caller else { throw Rejection(.forbidden, "Nobody deletes the account of another.") }
    }
}

extension Rejection {
    /// The same for every address and password, and for a user who has gone.
    package static let notSignedIn = Rejection(.unauthenticated, "The email address or the password is wrong.")
    /// The same for a wrong code, an expired one, and an address to which none was sent.
    package static let codeInvalid = Rejection(.unauthenticated, "The code is wrong, or has expired.")
    /// The same for a device that is signed in.
    package static let ownCodeInvalid = Rejection(.forbidden, "The code is wrong, or has expired.")
}
