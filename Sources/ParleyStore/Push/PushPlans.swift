import GRDB
import ParleyProtocol

/// What the main database is to do of the plan that was written last.
package struct PushPlanRecord: Hashable, Sendable {
    /// What a topic is to have.
    package enum Announcement: Hashable, Sendable {
        /// A message, at its position.
        case message(StreamPosition)
        case digest
        /// What is displayed of a conversation up to a place is cleared.
        case clearance(ConversationKey, seq: Int)
    }

    /// One later than that of the plan before.
    package let number: Int
    /// Up to which events are decided; `nil` if none was.
    package let decidedThrough: PushEvent.Key?
    package let announcements: [PushAnnouncementRecord]

    package init(number: Int, decidedThrough: PushEvent.Key?, announcements: [PushAnnouncementRecord]) {
        self.number = number
        self.decidedThrough = decidedThrough
        self.announcements = announcements
    }
}

/// A row of a plan.
package struct PushAnnouncementRecord: Hashable, Sendable {
    package let id: NotificationID
    package let user: UserID
    package let kind: PushPlanRecord.Announcement
    package let createdAt: Timestamp

    package init(id: NotificationID, user: UserID, kind: PushPlanRecord.Announcement, createdAt: Timestamp) {
        self.id = id
        self.user = user
        self.kind = kind
        self.createdAt = createdAt
    }
}

/// The plan that was written last.
package struct PushPlanQueries {
    let database: Database

    /// - Returns: `nil` before the first of a database.
    package func last() throws(StoreError) -> PushPlanRecord? {
        guard let row = try database.row("SELECT plan, decided_through FROM link WHERE plan > 0") else { return nil }
        let (number, key): (Int, Int?) = (row[0], row[1])
        let rows = try database.rows(
            #"SELECT id, "user", kind, position, conversation, seq, created_at FROM announcements ORDER BY id"#)
        var announcements: [PushAnnouncementRecord] = []
        while let row = try rows.next() { announcements.append(try PushAnnouncementRecord(row)) }
        announcements.sort { $0.isBefore($1) }
        return PushPlanRecord(
            number: number, decidedThrough: key.map(PushEvent.Key.init), announcements: announcements)
    }

    package func lastNumber() throws(StoreError) -> Int { try database.row("SELECT plan FROM link")?[0] ?? 0 }

    /// The name that the main database knows it by; `nil` for none.
    package func name() throws(StoreError) -> String? { try database.row("SELECT name FROM link")?[0] }
}

extension PushAnnouncementRecord {
    /// A topic has what happened first first.
    fileprivate func isBefore(_ other: PushAnnouncementRecord) -> Bool {
        (createdAt, position) < (other.createdAt, other.position)
    }

    private var position: StreamPosition {
        if case .message(let position) = kind { position } else { .start }
    }

    /// How the kinds are stored.
    fileprivate enum Kind: Int {
        case message, digest, clearance
    }

    fileprivate init(_ row: Row) throws(StoreError) {
        let kind: PushPlanRecord.Announcement
        switch (Kind(rawValue: row[2]), row[3] as Int?, (row[4] as Int64?).map(ConversationKey.init), row[5] as Int?) {
        case (.message, let position?, nil, nil): kind = .message(StreamPosition(position))
        case (.digest, nil, nil, nil): kind = .digest
        case (.clearance, nil, let conversation?, let seq?): kind = .clearance(conversation, seq: seq)
        default: throw .inconsistent(.column(2))
        }
        self.init(id: try row.uuid(0), user: try row.level(1), kind: kind, createdAt: row.time(6))
    }

    fileprivate var columns: [BoundValue] {
        let (number, position, conversation, seq): (Kind, StreamPosition?, ConversationKey?, Int?) =
            switch kind {
            case .message(let position): (.message, position, nil, nil)
            case .digest: (.digest, nil, nil, nil)
            case .clearance(let conversation, let seq): (.clearance, nil, conversation, seq)
            }
        return [
            .id(id), .text(user.text), .integer(number.rawValue), .integer(position?.value),
            .integer(conversation.map { Int($0.value) }), .integer(seq), .time(createdAt),
        ]
    }
}

/// Writes the plan.
package struct PushPlanWrites {
    let database: Database

    /// Replaces the plan before, which was carried out.
    package func set(_ plan: PushPlanRecord) throws(StoreError) {
        try database.run("DELETE FROM announcements")
        try database.run("UPDATE link SET plan = ?, decided_through = ?", [plan.number, plan.decidedThrough?.value])
        try database.run(plan.announcements.map(\.columns), row: "(?, ?, ?, ?, ?, ?, ?)") { rows in
            """
            INSERT INTO announcements (id, "user", kind, position, conversation, seq, created_at) VALUES \(rows)
            """
        }
    }

    package func setName(_ name: String) throws(StoreError) { try database.run("UPDATE link SET name = ?", [name]) }
}
