import PostgreSQL

/// A database of a test's own, dropped with the value, whoever is connected.
package final class TestDatabase: Sendable {
    package let name: String
    package let server: PostgreSQLServer

    init(name: String, server: PostgreSQLServer) { (self.name, self.server) = (name, server) }

    deinit {
        let connection = try? server.connect()
        try? connection?.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        connection?.close()
    }

    /// On the Unix socket.
    package var uri: String { server.uri(database: name) }

    package func connect(
        statementLimit: Int = 1000, parameters: String = ""
    ) throws(PostgreSQLError) -> PostgreSQLConnection {
        let settings = try PostgreSQLSettings(uri: server.uri(database: name, parameters: parameters), program: "tests")
        return try PostgreSQLConnection(settings, statementLimit: statementLimit)
    }
}
