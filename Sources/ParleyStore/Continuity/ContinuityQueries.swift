import ParleyProtocol

/// The name of the database, which recognizes one that was put back.
package struct ContinuityQueries {
    let database: Database

    /// Set at each start of the gateway; `nil` before the first.
    package func instance() throws(StoreError) -> String? {
        try database.row("SELECT name FROM instance WHERE id = ?", [database.stream.row])?[0]
    }
}

package struct ContinuityWrites {
    let database: Database

    package func setInstance(_ name: String) throws(StoreError) {
        try database.run(
            "INSERT INTO instance (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
            [database.stream.row, name])
    }

    /// Gives every conversation a new epoch, and has all presence published to every broker again, to those of
    /// neighbours also what they retain of conversations. Logs go on after their records.
    ///
    /// - Returns: how many conversations there are.
    package func renewEpochs(_ epoch: () -> String) throws(StoreError) -> Int {
        var renewed: [String: String] = [:]
        var count = 0
        var last = Int64.min
        while true {
            let page = try database.list(
                "SELECT key, epoch FROM conversations WHERE key > ? ORDER BY key LIMIT 1000", [last]
            ) { (key: $0[0] as Int64, epoch: $0[1] as String) }
            guard let end = page.last else { break }
            for conversation in page {
                let new = epoch()
                renewed[conversation.epoch] = new
                try database.run("UPDATE conversations SET epoch = ? WHERE key = ?", [new, conversation.key])
            }
            count += page.count
            last = end.key
        }
        try renameEpochs(renewed)
        try database.run("UPDATE publishing SET presence_broker = NULL")
        // A neighbour that was away for long leaves out what this one publishes.
        try database.run("UPDATE publishing SET info_broker = NULL WHERE id <> ?", [database.stream.row])
        return count
    }

    /// Replaces the epochs in payloads of the outbox. Texts of users are escaped there and cannot look like an epoch.
    private func renameEpochs(_ renewed: [String: String]) throws(StoreError) {
        let (start, end) = (Array(#""epoch":""#.utf8), UInt8(ascii: "\""))
        var last = Int.min
        while true {
            let page = try database.list(
                """
                SELECT position, payload FROM outbox
                WHERE position > ? AND unread_user IS NULL ORDER BY position LIMIT 256
                """, [last]
            ) { (position: $0[0] as Int, payload: $0.bytes(1) ?? []) }
            guard let final = page.last else { return }
            for event in page {
                var (payload, rest) = (event.payload, event.payload.startIndex)
                while let found = payload[rest...].firstRange(of: start) {
                    rest = found.upperBound
                    guard let close = payload[rest...].firstIndex(of: end) else { break }
                    guard let new = renewed[String(decoding: payload[rest..<close], as: UTF8.self)] else { continue }
                    payload.replaceSubrange(rest..<close, with: Array(new.utf8))
                }
                guard payload != event.payload else { continue }
                try database.run("UPDATE outbox SET payload = ? WHERE position = ?", [payload, event.position])
            }
            last = final.position
        }
    }
}
