import ParleyProtocol

/// The last plan: the main database's part of it.
package struct PushPlanRecord: Hashable, Sendable {
    /// What is published on a topic.
    package enum Announcement: Hashable, Sendable {
        case message(StreamPosition)
        case digest
        /// A conversation is cleared up to a message.
        case clearance(ConversationKey, seq: Int)
    }

    /// One more than that of the plan before.
    package let number: Int
    /// The last decided event; `nil` for none.
    package let decidedThrough: PushEvent.Key?
    /// All decided events.
    package let decided: [PushEvent.Key]
    package let announcements: [PushAnnouncementRecord]

    package init(
        number: Int, decidedThrough: PushEvent.Key?, decided: [PushEvent.Key] = [],
        announcements: [PushAnnouncementRecord]
    ) {
        (self.number, self.decidedThrough, self.decided) = (number, decidedThrough, decided)
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
        (self.id, self.user, self.kind, self.createdAt) = (id, user, kind, createdAt)
    }
}

/// The last plan.
package struct PushPlanQueries {
    let database: Database

    /// - Returns: `nil` before the first of a database.
    package func last() throws(StoreError) -> PushPlanRecord? {
        guard let row = try database.row("SELECT plan, decided_through FROM link WHERE plan > 0") else { return nil }
        let announcements = try database.list("\(PushAnnouncementRecord.selection) ORDER BY id") {
            try PushAnnouncementRecord($0)
        }
        return PushPlanRecord(
            number: row[0], decidedThrough: (row[1] as Int?).map(PushEvent.Key.init),
            announcements: announcements.sorted { $0.isBefore($1) })
    }

    package func lastNumber() throws(StoreError) -> Int { try database.row("SELECT plan FROM link")?[0] ?? 0 }

    /// The name that the main database has for this one.
    package func name() throws(StoreError) -> String? { try database.row("SELECT name FROM link")?[0] }
}

extension PushAnnouncementRecord {
    static let selection =
        #"SELECT id, "user", kind, position, conversation, seq, created_at FROM announcements"#

    /// By time, then by position.
    func isBefore(_ other: PushAnnouncementRecord) -> Bool {
        (createdAt, position) < (other.createdAt, other.position)
    }

    private var position: StreamPosition {
        if case .message(let position) = kind { position } else { .start }
    }

    /// How the kinds are stored.
    fileprivate enum Kind: Int {
        case message, digest, clearance
    }

    init(_ row: Row) throws(StoreError) {
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

/// Writes the last plan.
package struct PushPlanWrites {
    let database: Database
    let lease: PushLease?

    /// Replaces the plan before, which is carried out. Where gateways share the database, each has one, and what is
    /// decided is removed with it.
    ///
    /// - Throws: `.conflict` if another gateway has decided some of it.
    package func set(_ plan: PushPlanRecord) throws(StoreError) {
        if lease == nil {
            try database.run("DELETE FROM announcements")
            try database.run(
                "UPDATE link SET plan = ?, decided_through = ?", [plan.number, plan.decidedThrough?.value])
        } else {
            try PushEventWrites(database: database).remove(plan.decided)
        }
        try database.run(plan.announcements.map(\.columns), row: "(?, ?, ?, ?, ?, ?, ?)") { rows in
            """
            INSERT INTO announcements (id, "user", kind, position, conversation, seq, created_at) VALUES \(rows)
            """
        }
        if let lease { try hold(under: lease) }
    }

    package func setName(_ name: String) throws(StoreError) { try database.run("UPDATE link SET name = ?", [name]) }
}
