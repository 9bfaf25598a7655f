import ParleyProtocol
import ParleyPostgreSQL
import ParleyStore
import PostgreSQL

/// The database of cells, read past all of them.
final class CellDatabase {
    let uri: String
    private var connection: PostgreSQLConnection?

    init(uri: String) { self.uri = uri }

    /// Makes the tables, and fills them.
    func populate(_ body: (Store) throws -> Void) throws {
        guard let name = CellName("cell-1") else { throw TrialError.noSession }
        let store = Store(try PostgreSQLStore(try StoreAddress(uri: uri), cell: name))
        try body(store)
        try store.close()
    }

    /// On a connection to whichever server takes writes now.
    func query(_ statement: String, _ values: [PostgreSQLValue] = []) throws -> PostgreSQLRows {
        if connection?.isOpen != true {
            let new = try PostgreSQLConnection(PostgreSQLSettings(uri: uri, program: "trials"))
            try new.execute(PostgreSQLMigrations.searchPath)
            connection = new
        }
        guard let connection else { throw PostgreSQLError.broken(reason: "it was never there") }
        return try connection.query(statement, values)
    }

    /// After a promotion the next question goes to the new server.
    func forgetConnection() {
        connection?.close()
        connection = nil
    }

    /// The records of a conversation behind a place, in the order of seq.
    func entries(of conversation: ConversationID, after seq: Int) throws -> [Ledger.Entry] {
        let rows = try query(
            """
            SELECT r.seq, r.id FROM records r JOIN conversations c ON c.key = r.conversation
            WHERE c.id = $1 AND r.seq > $2 ORDER BY r.seq
            """, [.bytes(conversation.value.bytes), .integer(seq)])
        return (0..<rows.count).compactMap { row in
            guard let seq = rows.integer(row, 0), let bytes = rows.bytes(row, 1), let id = MessageID(bytes: bytes)
            else { return nil }
            return Ledger.Entry(seq: seq, id: id)
        }
    }

    /// How many records lie behind the end of their cell's stream, where nobody looks.
    func strayRecords() throws -> Int {
        let rows = try query(
            """
            SELECT count(*) FROM cells c JOIN records r ON r.position > c.position AND r.position >> 48 = c.cell
            """)
        return rows.integer(0, 0) ?? 0
    }
}
