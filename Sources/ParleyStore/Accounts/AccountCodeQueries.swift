import ParleyProtocol

/// The purpose of a code.
package enum CodePurpose: Hashable, Sendable {
    /// A new account, with its password.
    case register(NewAccount, PasswordHash)
    /// A new password.
    case reset(UserID)
    /// The address becomes the user's, and the password, if they have none.
    case link(UserID, PasswordHash?)

    package struct NewAccount: Hashable, Sendable {
        package let user: UserID
        package let displayName: String?
        /// Of the invite's token, 32 bytes.
        package let invite: [UInt8]?

        package init(user: UserID, displayName: String?, invite: [UInt8]?) {
            (self.user, self.displayName, self.invite) = (user, displayName, invite)
        }
    }

    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case register, reset, link
    }

    package var kind: Kind {
        switch self {
        case .register: .register
        case .reset: .reset
        case .link: .link
        }
    }

    /// The user of the code; `nil` for a registration.
    package var user: UserID? {
        switch self {
        case .register: nil
        case .reset(let user), .link(let user, _): user
        }
    }
}

/// A code that was sent.
package struct SentCode: Hashable, Sendable {
    package let email: EmailAddress
    package let purpose: CodePurpose
    /// 16 random bytes, from which the code follows.
    package let seed: [UInt8]
    /// By the steady time.
    package let expiresAt: Timestamp

    package init(email: EmailAddress, purpose: CodePurpose, seed: [UInt8], expiresAt: Timestamp) {
        (self.email, self.purpose, self.seed, self.expiresAt) = (email, purpose, seed, expiresAt)
    }
}

package struct StoredCode: Hashable, Sendable {
    package let key: RowKey<SentCode>
    package let code: SentCode
    /// The number of wrong codes given for it.
    package let attempts: Int
}

package struct AccountCodeQueries {
    let database: Database

    /// The live codes of an address for a purpose, the newest first.
    ///
    /// - Parameter steady: the present steady time.
    package func codes(
        of email: EmailAddress, _ kind: CodePurpose.Kind, steady: Timestamp
    ) throws(StoreError) -> [StoredCode] {
        try database.list(
            """
            SELECT key, address, seed, "user", new_user, display_name, invite, attempts, expires_at, salt, passes,
                kibibytes, hash
            FROM account_codes WHERE subject = ? AND purpose = ? AND expires_at > ? ORDER BY key DESC
            """, [email.normalForm, kind.rawValue, steady.milliseconds]
        ) { row in
            guard let address = EmailAddress(row.text(1)), let seed = row.bytes(2) else {
                throw StoreError.inconsistent(.column(1))
            }
            return StoredCode(
                key: row.key(0),
                code: SentCode(
                    email: address, purpose: try purpose(kind, row), seed: seed, expiresAt: row.time(8)),
                attempts: row.integer(7))
        }
    }

    private func purpose(_ kind: CodePurpose.Kind, _ row: Row) throws(StoreError) -> CodePurpose {
        let password = PasswordHash(row, from: 9)
        switch kind {
        case .register:
            guard let password else { throw .inconsistent(.column(9)) }
            return .register(
                CodePurpose.NewAccount(
                    user: try row.level(4), displayName: row.optionalText(5), invite: row.bytes(6)), password)
        case .reset: return .reset(try row.level(3))
        case .link: return .link(try row.level(3), password)
        }
    }

}

package struct AccountCodeWrites {
    let database: Database

    package func insert(_ code: SentCode) throws(StoreError) {
        var account: CodePurpose.NewAccount?
        let password: PasswordHash?
        switch code.purpose {
        case .register(let new, let hash): (account, password) = (new, hash)
        case .reset: password = nil
        case .link(_, let hash): password = hash
        }
        try database.run(
            """
            INSERT INTO account_codes (purpose, subject, address, seed, "user", new_user, display_name, invite, salt,
                passes, kibibytes, hash, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                code.purpose.kind.rawValue, code.email.normalForm, code.email.text, code.seed,
                code.purpose.user?.text, account?.user.text, account?.displayName, account?.invite,
                password?.salt, password?.passes, password?.kibibytes,
                password?.hash, code.expiresAt.milliseconds,
            ])
    }

    /// Counts a wrong code for all live ones of an address and a purpose.
    package func countAttempt(_ email: EmailAddress, _ kind: CodePurpose.Kind) throws(StoreError) {
        try database.run(
            "UPDATE account_codes SET attempts = attempts + 1 WHERE subject = ? AND purpose = ?",
            [email.normalForm, kind.rawValue])
    }

    package func removeAll(of email: EmailAddress, _ kind: CodePurpose.Kind) throws(StoreError) {
        try database.run(
            "DELETE FROM account_codes WHERE subject = ? AND purpose = ?", [email.normalForm, kind.rawValue])
    }

    /// Removes a user's codes for a new password or an address to link.
    package func removeAll(of user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM account_codes WHERE "user" = ?"#, [user.text])
    }
}
