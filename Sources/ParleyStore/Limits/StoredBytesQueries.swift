import ParleyProtocol

package struct StoredBytesQueries {
    let database: Database

    /// - Parameter day: in days since 1970.
    package func count(of user: UserID, on day: Int) throws(StoreError) -> Int {
        try count(of: [user], on: day)[user] ?? 0
    }

    /// Without users of whom nothing is stored.
    func count(of users: some Collection<UserID>, on day: Int) throws(StoreError) -> [UserID: Int] {
        let keys = users.map { [BoundValue.text($0.text), .integer(day)] }
        return try database.table(keys, key: "(CAST(? AS TEXT), CAST(? AS BIGINT))") { keys in
            """
            SELECT s."user", s.bytes FROM (VALUES \(keys)) AS k
            CROSS JOIN stored_bytes s WHERE s."user" = k.column1 AND s.day = k.column2
            """
        } _: { row in
            (try row.level(0), row.integer(1))
        }
    }
}

package struct StoredBytesWrites {
    let database: Database

    package func add(_ bytes: [(user: UserID, bytes: Int)], on day: Int) throws(StoreError) {
        try database.run(
            bytes.map { [.text($0.user.text), .integer(day), .integer($0.bytes)] }, row: "(?, ?, ?)"
        ) { rows in
            """
            INSERT INTO stored_bytes ("user", day, bytes) VALUES \(rows)
            ON CONFLICT ("user", day) DO UPDATE SET bytes = stored_bytes.bytes + excluded.bytes
            """
        }
    }

    package func remove(before day: Int) throws(StoreError) {
        try database.run("DELETE FROM stored_bytes WHERE day < ?", [day])
    }
}
