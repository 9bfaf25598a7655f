import ParleyProtocol

/// A password, hashed with Argon2id.
package struct PasswordHash: Hashable, Sendable {
    /// 16 bytes.
    package let salt: [UInt8]
    package let passes: Int
    package let kibibytes: Int
    /// 32 bytes.
    package let hash: [UInt8]

    package init(salt: [UInt8], passes: Int, kibibytes: Int, hash: [UInt8]) {
        (self.salt, self.passes, self.kibibytes) = (salt, passes, kibibytes)
        self.hash = hash
    }

    /// From four columns; `nil` if they are NULL.
    init?(_ row: some ColumnReader, from column: Int) {
        guard let salt = row.bytes(column), let hash = row.bytes(column + 3) else { return nil }
        self.init(salt: salt, passes: row.integer(column + 1), kibibytes: row.integer(column + 2), hash: hash)
    }
}

package struct PasswordQueries {
    let database: Database

    package func password(of user: UserID) throws(StoreError) -> PasswordHash? {
        try database.row(
            #"SELECT salt, passes, kibibytes, hash FROM passwords WHERE "user" = ?"#, [user.text]
        ).flatMap { PasswordHash($0, from: 0) }
    }
}

package struct PasswordWrites {
    let database: Database

    package func set(_ password: PasswordHash, of user: UserID, at now: Timestamp) throws(StoreError) {
        try database.run(
            """
            INSERT INTO passwords ("user", salt, passes, kibibytes, hash, set_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT ("user") DO UPDATE SET salt = excluded.salt, passes = excluded.passes,
                kibibytes = excluded.kibibytes, hash = excluded.hash, set_at = excluded.set_at
            """,
            [
                user.text, password.salt, password.passes, password.kibibytes, password.hash,
                now.milliseconds,
            ])
    }

    package func remove(of user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM passwords WHERE "user" = ?"#, [user.text])
    }
}
