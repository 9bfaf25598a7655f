import GRDB
import ParleyProtocol

extension Snapshot {
    /// How many bytes count as stored for a user on a day, in days since 1970.
    package func storedBytes(of user: UserID, on day: Int) throws(StoreError) -> Int {
        try storedBytes(of: [user], on: day)[user] ?? 0
    }

    /// The same of several; of whom nothing counts is not among them.
    func storedBytes(of users: some Collection<UserID>, on day: Int) throws(StoreError) -> [UserID: Int] {
        var stored: [UserID: Int] = [:]
        let keys = users.map { [BoundValue.text($0.text), .integer(day)] }
        try database.read(keys, key: "(CAST(? AS TEXT), CAST(? AS BIGINT))") { keys in
            #"SELECT "user", bytes FROM stored_bytes WHERE ("user", day) IN (VALUES \#(keys))"#
        } _: { row throws(StoreError) in
            stored[try row.level(0)] = row.integer(1)
        }
        return stored
    }
}

extension WriteTransaction {
    package func setStoredBytes(_ bytes: [(user: UserID, bytes: Int)], on day: Int) throws(StoreError) {
        try database.run(
            bytes.map { [.text($0.user.text), .integer(day), .integer($0.bytes)] }, row: "(?, ?, ?)"
        ) { rows in
            """
            INSERT INTO stored_bytes ("user", day, bytes) VALUES \(rows)
            ON CONFLICT ("user", day) DO UPDATE SET bytes = excluded.bytes
            """
        }
    }

    /// Forgets what was counted before a day.
    package func removeStoredBytes(before day: Int) throws(StoreError) {
        try database.run("DELETE FROM stored_bytes WHERE day < ?", [day])
    }
}
