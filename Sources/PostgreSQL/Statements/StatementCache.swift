/// The statements that a connection has prepared, by their texts: at most `limit`, of which the one that was used least
/// recently gives way.
struct StatementCache {
    private let limit: Int
    private var statements: [String: PreparedStatement] = [:]
    private var uses: UInt64 = 0
    private var names: UInt64 = 0
    /// Those that have given way, and are still prepared on the server.
    private(set) var retired: [StatementName] = []

    /// - Parameter limit: at least 1.
    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { statements.count }

    /// The statement of this text, which is used now.
    mutating func use(_ text: String) -> PreparedStatement? {
        guard let statement = statements[text] else { return nil }
        uses &+= 1
        statement.lastUse = uses
        return statement
    }

    mutating func nextName() -> StatementName {
        names &+= 1
        return StatementName(number: names)
    }

    mutating func insert(_ statement: PreparedStatement) {
        uses &+= 1
        statement.lastUse = uses
        statements[statement.text] = statement
        // A look at all of them costs little beside the round trip that has prepared the new one.
        if statements.count > limit, let oldest = statements.values.min(by: { $0.lastUse < $1.lastUse }) {
            remove(oldest)
        }
    }

    mutating func remove(_ statement: PreparedStatement) {
        guard statements[statement.text] === statement else { return }
        statements[statement.text] = nil
        retire(statement.name)
    }

    /// Without telling the server, which has none of them.
    mutating func forgetAll() {
        statements.removeAll()
        retired.removeAll()
    }

    mutating func retire(_ name: StatementName) { retired.append(name) }

    /// Hands over the names that the server can forget.
    mutating func takeRetired() -> [StatementName] {
        defer { retired.removeAll() }
        return retired
    }
}
