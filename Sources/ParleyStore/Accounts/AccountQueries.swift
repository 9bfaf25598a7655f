import ParleyProtocol

package struct AccountQueries {
    let database: Database

    package func key(of user: UserID) throws(StoreError) -> [UInt8]? {
        try database.row("SELECT account_key FROM users WHERE id = ?", [user.text])?.bytes(0)
    }

    /// The reply to `keys/get`.
    package func userKeys(of user: UserID) throws(StoreError) -> UserKeys {
        UserKeys(
            user: user, accountKey: try key(of: user), devices: try DeviceQueries(database: database).keys(of: user))
    }

    /// The sealed backup of the user's account key.
    package func backup(of user: UserID) throws(StoreError) -> AccountBackup? {
        let row = try database.row("SELECT account_backup, account_backup_at FROM users WHERE id = ?", [user.text])
        return row.flatMap { row in row.bytes(0).map { AccountBackup(blob: $0, updatedAt: row.time(1)) } }
    }
}

package struct AccountWrites {
    let database: Database

    /// Sets a user's account key. The certificates that another key has signed are removed.
    package func setKey(_ key: [UInt8], of user: UserID) throws(StoreError) {
        try database.run("UPDATE users SET account_key = ? WHERE id = ?", [key, user.text])
        try database.run(#"UPDATE devices SET certificate = NULL, issued_at = NULL WHERE "user" = ?"#, [user.text])
    }

    package func setBackup(_ backup: AccountBackup, of user: UserID) throws(StoreError) {
        try database.run(
            "UPDATE users SET account_backup = ?, account_backup_at = ? WHERE id = ?",
            [backup.blob, backup.updatedAt.milliseconds, user.text])
    }
}
