import ParleyProtocol

/// A user whose content is being erased.
package struct Erasure: Hashable, Sendable {
    package let user: UserID
    /// The records of all conversations up to here were looked at.
    package let through: StreamPosition

    package init(user: UserID, through: StreamPosition) { (self.user, self.through) = (user, through) }
}

package struct ErasureQueries {
    let database: Database

    /// The erasure that is carried on next.
    package func next() throws(StoreError) -> Erasure? {
        try database.first(#"SELECT "user", looked_through FROM erasures LIMIT 1"#) { row in
            Erasure(user: try row.level(0), through: StreamPosition(row.integer(1)))
        }
    }

    /// Whether the erasure of a user was ever asked for.
    package func isErased(_ user: UserID) throws(StoreError) -> Bool {
        try database.row("SELECT 1 FROM users WHERE id = ? AND erased_at IS NOT NULL", [user.text]) != nil
    }
}

package struct ErasureWrites {
    let database: Database

    /// Makes the content of a departed user due to be erased.
    package func begin(_ user: UserID, at now: Timestamp) throws(StoreError) {
        try database.run("UPDATE users SET erased_at = ? WHERE id = ?", [now.milliseconds, user.text])
        try database.run(#"INSERT INTO erasures ("user", looked_through) VALUES (?, 0)"#, [user.text])
    }

    /// Erases what they have told operators, and copies of what they have written in what others have told them.
    package func eraseReports(of user: UserID) throws(StoreError) {
        try database.run("DELETE FROM reports WHERE reporter = ?", [user.text])
        try database.run(#"UPDATE reports SET message = NULL, evidence = NULL WHERE "user" = ?"#, [user.text])
    }

    package func setLooked(_ erasure: Erasure) throws(StoreError) {
        try database.run(
            #"UPDATE erasures SET looked_through = ? WHERE "user" = ?"#,
            [erasure.through.value, erasure.user.text])
    }

    package func finish(_ user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM erasures WHERE "user" = ?"#, [user.text])
    }
}
