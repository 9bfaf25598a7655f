import ParleyProtocol

/// A way in which a user signs in.
package struct StoredIdentity: Hashable, Sendable {
    package let provider: IdentityProviderName
    /// The provider's id of the user, or the normal form of an address.
    package let subject: String
    /// The address as written; `nil` for a provider.
    package let address: String?
    package let linkedAt: Timestamp

    package init(provider: IdentityProviderName, subject: String, address: String? = nil, linkedAt: Timestamp) {
        (self.provider, self.subject, self.address) = (provider, subject, address)
        self.linkedAt = linkedAt
    }

    package init(_ email: EmailAddress, linkedAt: Timestamp) {
        self.init(provider: .email, subject: email.normalForm, address: email.text, linkedAt: linkedAt)
    }
}

package struct IdentityQueries {
    let database: Database

    /// The user of an identity; `nil` if it has none.
    package func user(_ provider: IdentityProviderName, _ subject: String) throws(StoreError) -> UserID? {
        try database.first(
            #"SELECT "user" FROM identities WHERE provider = ? AND subject = ?"#, [provider.text, subject]
        ) { try $0.level(0) }
    }

    package func user(_ email: EmailAddress) throws(StoreError) -> UserID? { try user(.email, email.normalForm) }

    /// In the order of the providers' names.
    package func identities(of user: UserID) throws(StoreError) -> [StoredIdentity] {
        try database.list(
            #"SELECT provider, subject, address, linked_at FROM identities WHERE "user" = ? ORDER BY provider"#,
            [user.text]
        ) { row in
            StoredIdentity(
                provider: try row.level(0), subject: row.text(1), address: row.optionalText(2), linkedAt: row.time(3))
        }
    }
}

package struct IdentityWrites {
    let database: Database

    /// Adds a way to sign in, and replaces the user's own of this provider.
    ///
    /// The identity must not be another user's.
    package func set(_ identity: StoredIdentity, of user: UserID) throws(StoreError) {
        try remove(identity.provider, of: user)
        try database.run(
            #"INSERT INTO identities (provider, subject, "user", address, linked_at) VALUES (?, ?, ?, ?, ?)"#,
            [
                identity.provider.text, identity.subject, user.text, identity.address,
                identity.linkedAt.milliseconds,
            ])
    }

    package func remove(_ provider: IdentityProviderName, of user: UserID) throws(StoreError) {
        try database.run(
            #"DELETE FROM identities WHERE "user" = ? AND provider = ?"#, [user.text, provider.text])
    }

    package func removeAll(of user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM identities WHERE "user" = ?"#, [user.text])
    }
}
