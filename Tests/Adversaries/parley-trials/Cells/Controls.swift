import Foundation
import GatewaySite
import ParleyProtocol
import Platform
import PostgreSQL

// Faults, made by the trial itself in the database: what the trials look at must tell.

/// A reader of what cells write, by one number over all of them, which PostgreSQL gives out when a row is inserted.
struct GlobalTail {
    /// In a table that is empty. A commit takes up to 5 ms more for each record, as with a standby that is far away: so
    /// long a number is given out, and nothing of it is to be seen.
    static func prepare(_ database: CellDatabase) throws {
        for statement in [
            "ALTER TABLE records ADD COLUMN trial_number BIGSERIAL",
            """
            CREATE FUNCTION commit_late() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN PERFORM pg_sleep(random() * 0.005); RETURN NULL; END $$
            """,
            """
            CREATE CONSTRAINT TRIGGER late AFTER INSERT ON records DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION commit_late()
            """,
        ] { _ = try database.query(statement) }
    }

    private var last = 0
    private(set) var heard: [ConversationID: [Ledger.Entry]] = [:]

    /// Reads what lies behind the last number that it has seen.
    mutating func read(_ database: CellDatabase) throws {
        let rows = try database.query(
            """
            SELECT r.trial_number, r.seq, r.id, c.id
            FROM records r JOIN conversations c ON c.key = r.conversation
            WHERE r.trial_number > $1 ORDER BY r.trial_number
            """, [.integer(last)])
        for row in 0..<rows.count {
            guard let number = rows.integer(row, 0), let seq = rows.integer(row, 1), let id = rows.bytes(row, 2),
                let id = MessageID(bytes: id), let conversation = rows.bytes(row, 3),
                let conversation = ConversationID(bytes: conversation)
            else { continue }
            last = max(last, number)
            heard[conversation, default: []].append(Ledger.Entry(seq: seq, id: id))
        }
    }
}

/// A process that was replaced, and does not know it.
struct StaleWriter {
    private let cell: Int
    private let incarnation: [UInt8]

    /// As the process is that runs now.
    init(_ name: String, _ database: CellDatabase) throws {
        let rows = try database.query("SELECT cell, incarnation FROM cells WHERE name = $1", [.text(name)])
        guard let cell = rows.integer(0, 0), let incarnation = rows.bytes(0, 1) else {
            throw LoadError.missing("the row of \(name)")
        }
        (self.cell, self.incarnation) = (cell, incarnation)
    }

    /// Writes a record into a conversation, in the name of its cell: as the store does, in one transaction that locks
    /// the cell's row.
    ///
    /// - Parameter isFenced: whether the row must bear this process's incarnation.
    /// - Returns: whether there was such a row.
    func write(to conversation: ConversationID, isFenced: Bool, _ database: CellDatabase) throws -> Bool {
        let rows = try database.query(
            """
            WITH own AS (
                UPDATE cells SET position = position + 1
                WHERE cell = $1 AND (incarnation = $2 \(isFenced ? "" : "OR incarnation <> $2")) RETURNING position
            ), log AS (
                UPDATE conversations SET last_seq = last_seq + 1
                WHERE id = $3 AND EXISTS (SELECT 1 FROM own) RETURNING key, last_seq, created_by
            )
            INSERT INTO records (
                position, conversation, seq, id, kind, sender, sender_device, type, suite, content, nonce, created_at,
                digest)
            SELECT own.position, log.key, log.last_seq, $4, 0, log.created_by, 'phone', 0, 0, $5, $5, 0, $5
            FROM own, log RETURNING seq
            """,
            [
                .integer(cell), .bytes(incarnation), .bytes(conversation.value.bytes),
                .bytes(MessageID.random().value.bytes), .bytes([UInt8](repeating: 1, count: 16)),
            ])
        return rows.count == 1
    }
}

extension LoadedTrial {
    /// Reads by one number while cells write.
    func tailByNumber(for time: Duration) throws -> TrialSummary {
        var tail = GlobalTail()
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end { try tail.read(site.database) }
        let summary = try finish("tail by position")
        try tail.read(site.database)
        var ledger = Ledger()
        for conversation in conversations {
            ledger.extend(conversation, by: try site.database.entries(of: conversation, after: 0))
            ledger.check(heard: tail.heard[conversation] ?? [], in: conversation)
        }
        return summary.adding(ledger.findings)
    }

    /// Replaces a gateway, and lets the one that was replaced write: as the store does, which must come to nothing, and
    /// then without a fence.
    func writeStale() throws -> TrialSummary {
        let cell = site.cells[0]
        let writer = try StaleWriter(cell.name, site.database)
        try disturb("gateway replaced") {
            cell.kill(.gateway)
            return { try cell.start() }
        }
        try cell.awaitReady()
        try site.awaitService()
        return try finish("no fencing") {
            for conversation in conversations {
                for isFenced in [true, false] {
                    let hasWritten = try writer.write(to: conversation, isFenced: isFenced, site.database)
                    guard hasWritten != isFenced else {
                        throw LoadError.rejected("a writer, fenced: \(isFenced), that has written: \(hasWritten)")
                    }
                }
            }
        }
    }
}
