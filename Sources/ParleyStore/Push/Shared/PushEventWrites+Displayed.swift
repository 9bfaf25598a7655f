import ParleyProtocol

extension PushEventWrites {
    /// Inserts those of users whose devices may display something, as the database knows: any gateway may have notified
    /// them.
    func insertDisplayed(_ events: [PushEvent]) throws(StoreError) {
        let row = """
            (CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), \
            CAST(? AS TEXT), CAST(? AS BLOB), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))
            """
        try database.run(events.map { $0.columns(database.stream) }, row: row) { rows in
            """
            \(PushEventWrites.target)
            SELECT v.* FROM (VALUES \(rows)) AS v
            WHERE CASE WHEN v.column5 IS NULL
                THEN EXISTS (SELECT 1 FROM members m CROSS JOIN displayed d
                    WHERE m.conversation = v.column3 AND d."user" = m."user")
                ELSE EXISTS (SELECT 1 FROM displayed d WHERE d."user" = v.column5) END
            """
        }
    }

    /// Removes decided events, each of which there must be.
    ///
    /// - Throws: `.conflict` where another gateway has decided some of them.
    func remove(_ keys: [PushEvent.Key]) throws(StoreError) {
        var count = 0
        try database.read(keys.map { [.integer($0.value)] }, key: "?") { keys in
            "DELETE FROM push_events WHERE key IN (\(keys)) RETURNING key"
        } _: { _ in
            count += 1
        }
        guard count == keys.count else { throw .conflict(message: "another gateway has decided the same") }
    }
}

extension PushEventQueries {
    /// Has transactions that write to conversations wait for the end of this one, in a database that others write, too.
    /// What they have written is seen.
    package func lock(_ conversations: some Collection<ConversationKey>) throws(StoreError) {
        guard case .remote = database.engine else { return }
        try database.read(Set(conversations).sorted { $0.value < $1.value }.map { [.key($0)] }, key: "?") { keys in
            "SELECT id FROM conversations WHERE key IN (\(keys)) ORDER BY id FOR SHARE"
        } _: { _ in
        }
    }
}
