import ParleyProtocol

/// How much there is, for operators. Each goes through a whole table.
package struct SizeQueries {
    let database: Database

    package func people() throws(StoreError) -> Int {
        try database.row("SELECT count(*) FROM users WHERE role = 'member'")?.integer(0) ?? 0
    }

    package func devices() throws(StoreError) -> Int {
        try database.row("SELECT count(*) FROM devices WHERE revoked_at IS NULL")?.integer(0) ?? 0
    }
}

extension Snapshot {
    package var sizes: SizeQueries { SizeQueries(database: database) }
}

extension DeviceQueries {
    /// The live devices of some users, with the end of their tokens.
    package func tokenEnds(
        of users: some Collection<UserID>
    ) throws(StoreError) -> [(device: DeviceAddress, expiresAt: Timestamp)] {
        var ends: [(device: DeviceAddress, expiresAt: Timestamp)] = []
        for user in users {
            ends += try database.list(
                #"SELECT id, expires_at FROM devices WHERE "user" = ? AND revoked_at IS NULL ORDER BY id"#, [user.text]
            ) { (DeviceAddress(user: user, device: try $0.level(0)), $0.time(1)) }
        }
        return ends
    }
}
