import PostgreSQL

/// A database of a test's own, dropped once the value is gone and nobody is connected.
package final class TestDatabase: Sendable {
    package let name: String
    package let server: PostgreSQLServer

    init(name: String, server: PostgreSQLServer) { (self.name, self.server) = (name, server) }

    deinit { server.retire(name) }

    /// On the Unix socket.
    package var uri: String { server.uri(database: name) }

    package func connect(
        statementLimit: Int = 1000, parameters: String = ""
    ) throws(PostgreSQLError) -> PostgreSQLConnection {
        let settings = try PostgreSQLSettings(uri: server.uri(database: name, parameters: parameters), program: "tests")
        return try PostgreSQLConnection(settings, statementLimit: statementLimit)
    }
}
