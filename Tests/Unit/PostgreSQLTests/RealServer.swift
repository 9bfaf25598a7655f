import PostgreSQL
import PostgreSQLServer
import Testing

extension Trait where Self == ConditionTrait {
    /// For tests with a real server.
    static var realServer: Self { .enabled(if: ServerPrograms.areExpected, "PostgreSQL is not installed") }
}

/// What a suite begins with: a connection to a database of each test's own.
class ConnectionSuite {
    let database: TestDatabase
    let connection: PostgreSQLConnection

    init() throws {
        database = try PostgreSQLServer.shared().database()
        connection = try database.connect()
    }

    /// The only number that a statement gives.
    func number(_ statement: String, _ values: [PostgreSQLValue] = []) throws -> Int {
        try #require(try connection.query(statement, values).integer(0, 0))
    }
}

/// The failure of `body`, which is one of PostgreSQL's.
func failure(_ body: () throws -> Void) throws -> PostgreSQLError? {
    do { try body() } catch let error as PostgreSQLError { return error }
    return nil
}
