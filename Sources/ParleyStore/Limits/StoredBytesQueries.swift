import GRDB
import ParleyProtocol

extension Snapshot {
    /// How many bytes count as stored for a user on a day, in days since 1970.
    package func storedBytes(of user: UserID, on day: Int) throws -> Int {
        try database.row("SELECT bytes FROM stored_bytes WHERE user = ? AND day = ?", [user.text, day])?[0] ?? 0
    }
}

extension WriteTransaction {
    package func setStoredBytes(_ bytes: Int, of user: UserID, on day: Int) throws {
        try database.run(
            """
            INSERT INTO stored_bytes (user, day, bytes) VALUES (?, ?, ?)
            ON CONFLICT (user, day) DO UPDATE SET bytes = excluded.bytes
            """, [user.text, day, bytes])
    }

    /// Forgets what was counted before a day.
    package func removeStoredBytes(before day: Int) throws {
        try database.run("DELETE FROM stored_bytes WHERE day < ?", [day])
    }
}
