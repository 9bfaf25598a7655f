import ParleyProtocol

// Ciphertext that is removed for another reason than its expiry: a person is erased, or a conversation keeps its
// messages for a time only. A removed record looks like a disappeared one: it keeps its place in the log, without
// ciphertext.

extension RecordQueries {
    /// The position of the last of so many records behind one, in the order of all logs; `nil` if there is none.
    package func end(ofRecordsAfter position: StreamPosition, limit: Int) throws(StoreError) -> StreamPosition? {
        try database.first(
            """
            SELECT max(position) FROM (
                SELECT position FROM records WHERE position > ? ORDER BY position LIMIT ?) AS next
            """, [position.value, limit]
        ) { $0.isNull(0) ? nil : StreamPosition($0.integer(0)) } ?? nil
    }

    /// The records of a sender that have ciphertext, within a range of positions.
    package func sent(
        by user: UserID, after position: StreamPosition, through end: StreamPosition, limit: Int
    ) throws(StoreError) -> [StreamPosition] {
        try database.list(
            """
            SELECT position FROM records WHERE position > ? AND position <= ? AND sender = ? AND content IS NOT NULL
            ORDER BY position LIMIT ?
            """, [position.value, end.value, user.text, limit]
        ) { StreamPosition($0.integer(0)) }
    }

    /// The messages among these records that devices may display or count: unread for a user whose devices display
    /// anything.
    ///
    /// - Parameter mayDisplay: whether the devices of a user may display anything.
    package func displayed(
        at positions: [StreamPosition], _ mayDisplay: (UserID) -> Bool
    ) throws(StoreError) -> [(conversation: ConversationKey, seq: Int)] {
        var found: [(conversation: ConversationKey, seq: Int)] = []
        try database.read(positions.map { [.integer($0.value)] }, key: "?") { positions in
            """
            SELECT r.conversation, r.seq, m."user" FROM records r CROSS JOIN members m
            WHERE r.position IN (\(positions)) AND r.kind = 0 AND r.type <> 7 AND r.withheld = 0
                AND m.conversation = r.conversation AND r.seq > m.read_seq AND r.seq > m.joined_seq
            ORDER BY r.conversation, r.seq
            """
        } _: { row in
            let (conversation, seq) = (row.key(0) as ConversationKey, row[1] as Int)
            if let last = found.last, last == (conversation, seq) { return }
            if mayDisplay(try row.level(2)) { found.append((conversation, seq)) }
        }
        return found
    }
}

extension RecordWrites {
    /// Removes the ciphertext of these records.
    package func removeCiphertext(at positions: [StreamPosition]) throws(StoreError) {
        try database.run(positions.map { [.integer($0.value)] }, row: "?") { positions in
            "UPDATE records SET content = NULL, nonce = NULL, recipient_keys = NULL WHERE position IN (\(positions))"
        }
    }
}
