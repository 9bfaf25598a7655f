import ParleyProtocol

/// An event that the broker has not acknowledged yet.
package enum UnpublishedEvent: Sendable {
    /// A record of the log is its own outbox.
    case record(position: StreamPosition, MessageRecord)
    /// `unread`: the count that is filled in before it is published.
    case event(position: StreamPosition, topic: [UInt8], payload: [UInt8], retain: Bool, unread: PendingUnread?)

    package var position: StreamPosition {
        switch self {
        case .record(let position, _), .event(let position, _, _, _, _): position
        }
    }
}

/// The room for an unread count in a payload. It is counted when the payload is published, never in the writer's
/// transaction.
package struct PendingUnread: Hashable, Sendable {
    package let scope: UnreadScope
    /// In the payload.
    package let offset: Int

    package init(scope: UnreadScope, offset: Int) { (self.scope, self.offset) = (scope, offset) }
}

/// What is published as retained messages, each kind all at once to a broker that was started anew.
package enum RetainedKind: String, Sendable {
    case presence, boards
    /// `info` of conversations.
    case info
}

package struct OutboxQueries {
    let database: Database

    package func lastPosition() throws(StoreError) -> StreamPosition {
        if case .remote(let connection) = database.engine { return try connection.lastPosition() }
        let row = try database.row(
            """
            SELECT max(position) FROM (
                SELECT max(position) AS position FROM records WHERE position > ?1 AND position < ?2
                UNION ALL SELECT max(position) FROM outbox WHERE position > ?1 AND position < ?2
                UNION ALL SELECT published_through FROM publishing WHERE id = ?3) AS positions
            """, [database.stream.start.value, database.stream.end.value, database.stream.row])
        return max(StreamPosition(row?[0] ?? 0), database.stream.start)
    }

    /// The broker has acknowledged everything up to here.
    package func publishedThrough() throws(StoreError) -> StreamPosition {
        let row = try database.row(
            "SELECT published_through FROM publishing WHERE id = ?", [database.stream.row])
        return max(StreamPosition(row?[0] ?? 0), database.stream.start)
    }

    /// The run of the broker that last received everything of a kind that it has to retain.
    package func broker(of kind: RetainedKind) throws(StoreError) -> UInt64? {
        let row = try database.row(
            "SELECT \(kind.rawValue)_broker FROM publishing WHERE id = ?", [database.stream.row])
        return (row?[0] as Int64?).map(UInt64.init(bitPattern:))
    }

    /// The next events and records of a stream, in order.
    ///
    /// - Parameter stream: `nil` for this gateway's.
    package func unpublished(
        after position: StreamPosition, in stream: Stream? = nil, limit: Int
    ) throws(StoreError) -> [UnpublishedEvent] {
        let end = (stream ?? database.stream).end
        var events = try database.list(
            """
            SELECT \(RecordColumn.list), r.position, c.id, c.epoch FROM records r
            JOIN conversations c ON c.key = r.conversation WHERE r.position > ? AND r.position < ?
            ORDER BY r.position LIMIT ?
            """, [position.value, end.value, limit]
        ) { try UnpublishedEvent(record: $0) }
        events += try database.list(
            "\(UnpublishedEvent.columns) WHERE position > ? AND position < ? ORDER BY position LIMIT ?",
            [position.value, end.value, limit]
        ) { try UnpublishedEvent(event: $0) }
        return Array(events.sorted { $0.position < $1.position }.prefix(limit))
    }

    /// The last records of a conversation between two seqs, from the last back.
    package func records(
        of conversation: ConversationID, after floor: Int, before ceiling: Int, limit: Int
    ) throws(StoreError) -> [(position: StreamPosition, record: MessageRecord)] {
        try database.list(
            """
            SELECT \(RecordColumn.list), r.position, c.epoch FROM records r JOIN conversations c ON c.key = r.conversation
            WHERE c.id = ? AND r.seq > ? AND r.seq < ? ORDER BY r.seq DESC LIMIT ?
            """, [conversation.blob, floor, ceiling, limit]
        ) { row in
            (
                StreamPosition(row[RecordColumn.end]),
                try MessageRecord(row, conversation: conversation, epoch: row[RecordColumn.end + 1])
            )
        }
    }
}

package struct OutboxWrites {
    let database: Database

    /// Stores events that have no record until the broker has acknowledged them.
    func insert(_ events: [PendingWrites.Event]) throws(StoreError) {
        try database.run(
            events.map { event in
                let span = event.unread?.scope.columns
                return [
                    .integer(event.position.value), .blob(event.topic), .blob(event.payload), .bool(event.retain),
                    .optionalText(span?.user.text), .integer(span.map { Int($0.conversation.value) }),
                    .integer(span?.after), .integer(span?.through), .integer(event.unread?.offset),
                ]
            }, row: "(?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ) { rows in
            """
            INSERT INTO outbox (position, topic, payload, retain, unread_user, unread_conversation, unread_after,
                unread_through, unread_room)
            VALUES \(rows)
            """
        }
    }

    /// Tells neighbours how far the stream goes with these writes, and what they change of audiences.
    func end(with writes: PendingWrites) throws(StoreError) {
        guard case .remote(let connection) = database.engine, let last = writes.lastPosition else { return }
        if !writes.audience.isEmpty { try connection.insertAudienceChanges(writes.audience) }
        connection.setStreamEnd(last, audience: writes.audience.last?.position)
    }

    /// Stores that the broker has acknowledged everything up to a position, and removes those events.
    ///
    /// - Parameter needed: the position behind which neighbours have not read all.
    package func advance(
        through position: StreamPosition, needed: StreamPosition = StreamPosition(.max)
    ) throws(StoreError) {
        let removed = min(needed, position)
        try database.run(
            "UPDATE publishing SET published_through = ? WHERE published_through < ? AND id = ?",
            [position.value, position.value, database.stream.row])
        try database.run(
            "DELETE FROM outbox WHERE position > ? AND position <= ?", [database.stream.start.value, removed.value])
    }

    /// Marks this run of the broker as one that has received everything of a kind that it has to retain.
    package func setBroker(_ broker: UInt64, of kind: RetainedKind) throws(StoreError) {
        try database.run(
            "UPDATE publishing SET \(kind.rawValue)_broker = ? WHERE id = ?",
            [Int64(bitPattern: broker), database.stream.row])
    }
}

extension OutboxWrites {
    /// Has everything that the broker has to retain published to it again, whichever run of it comes.
    package func forgetBroker() throws(StoreError) {
        try database.run(
            "UPDATE publishing SET presence_broker = NULL, info_broker = NULL, boards_broker = NULL WHERE id = ?",
            [database.stream.row])
    }
}

extension UnpublishedEvent {
    /// A query for events without a record, as far as its condition.
    static let columns = """
        SELECT position, topic, payload, retain,
            unread_user, unread_conversation, unread_after, unread_through, unread_room
        FROM outbox
        """

    /// From the columns of a record, its position, and id and epoch of its conversation.
    init(record row: Row) throws {
        self = .record(
            position: StreamPosition(row[RecordColumn.end]),
            try MessageRecord(
                row, conversation: try row.uuid(RecordColumn.end + 1), epoch: row[RecordColumn.end + 2]))
    }

    init(event row: Row) throws(StoreError) {
        self = .event(
            position: StreamPosition(row[0]), topic: row.bytes(1) ?? [], payload: row.bytes(2) ?? [], retain: row[3],
            unread: try PendingUnread(row, from: 4))
    }
}

extension PendingUnread {
    /// From the five columns that begin with `unread_user`; `nil` where they are NULL.
    fileprivate init?(_ row: Row, from column: Int) throws(StoreError) {
        guard (row[column] as String?) != nil else { return nil }
        let columns = UnreadSpan(
            user: try row.level(column), conversation: ConversationKey(value: row[column + 1]), after: row[column + 2],
            through: row[column + 3])
        self.init(scope: UnreadScope(columns), offset: row[column + 4])
    }
}

extension UnreadScope {
    /// Stands for the conversation of a badge: the database gives no such key.
    private static let everyConversation = ConversationKey(value: 0)

    /// As stored: a badge as a span of no conversation, with its time as the last seq.
    fileprivate var columns: UnreadSpan {
        switch self {
        case .conversation(let span): span
        case .badge(let user, let now):
            UnreadSpan(
                user: user, conversation: UnreadScope.everyConversation, after: 0, through: Int(now.milliseconds))
        }
    }

    fileprivate init(_ columns: UnreadSpan) {
        self =
            columns.conversation == UnreadScope.everyConversation
            ? .badge(of: columns.user, at: Timestamp(milliseconds: Int64(columns.through))) : .conversation(columns)
    }
}
