import ParleyProtocol

/// An entry of a stream, without its content: by whom it may be heard.
package struct StreamEntry: Hashable, Sendable {
    package enum Audience: Hashable, Sendable {
        /// The members of a conversation.
        case conversation(ConversationKey)
        /// Of an event without a record, by its topic.
        ///
        /// - Parameter isRetained: whether the broker keeps it for whoever comes later.
        case topic([UInt8], isRetained: Bool)
    }

    package let position: StreamPosition
    package let audience: Audience
}

extension OutboxQueries {
    /// The next entries of a stream, in order.
    package func entries(
        after position: StreamPosition, in stream: Stream, limit: Int
    ) throws(StoreError) -> [StreamEntry] {
        let entries = try database.together { database throws(StoreError) in
            let range: Arguments = [position.value, stream.end.value, limit]
            let records = try database.list(
                """
                SELECT position, conversation FROM records WHERE position > ? AND position < ? ORDER BY position LIMIT ?
                """, range
            ) { row in
                StreamEntry(position: StreamPosition(row[0]), audience: .conversation(row.key(1)))
            }
            return try records
                + database.list(
                    """
                    SELECT position, topic, retain FROM outbox WHERE position > ? AND position < ?
                    ORDER BY position LIMIT ?
                    """, range
                ) { row in
                    StreamEntry(
                        position: StreamPosition(row[0]), audience: .topic(row.bytes(1) ?? [], isRetained: row[2]))
                }
        }
        return Array(entries.sorted { $0.position < $1.position }.prefix(limit))
    }

    /// The members of conversations, by key and by id.
    package func hearers(
        _ keys: some Collection<ConversationKey>
    ) throws(StoreError) -> [ConversationKey: Set<UserID>] {
        var hearers: [ConversationKey: Set<UserID>] = [:]
        try database.read(keys.map { [.key($0)] }, key: "?") { keys in
            #"SELECT conversation, "user" FROM members WHERE conversation IN (\#(keys))"#
        } _: { row in
            hearers[row.key(0), default: []].insert(try row.level(1))
        }
        return hearers
    }

    package func keys(
        of ids: some Collection<ConversationID>
    ) throws(StoreError) -> [ConversationID: ConversationKey] {
        try database.table(ids.map { [.id($0)] }, key: "?") { ids in
            "SELECT id, key FROM conversations WHERE id IN (\(ids))"
        } _: { row in
            (try row.uuid(0), row.key(1))
        }
    }

    /// The events at positions, in order.
    package func events(at positions: [StreamPosition]) throws(StoreError) -> [UnpublishedEvent] {
        let keys = positions.map { [BoundValue.integer($0.value)] }
        let events = try database.together { database throws(StoreError) in
            var events: [UnpublishedEvent] = []
            try database.read(keys, key: "?") { positions in
                """
                SELECT \(RecordColumn.list), r.position, c.id, c.epoch FROM records r
                JOIN conversations c ON c.key = r.conversation WHERE r.position IN (\(positions))
                """
            } _: { row in
                events.append(try UnpublishedEvent(record: row))
            }
            try database.read(keys, key: "?") { positions in
                "\(UnpublishedEvent.columns) WHERE position IN (\(positions))"
            } _: { row in
                events.append(try UnpublishedEvent(event: row))
            }
            return events
        }
        return events.sorted { $0.position < $1.position }
    }
}
