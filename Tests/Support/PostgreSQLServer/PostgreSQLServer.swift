import Foundation
import Launch
import Platform
import PostgreSQL
import Synchronization

/// A real PostgreSQL of a test process: on a Unix socket in a folder of its own, gone with the value, and at the latest
/// with the process.
package final class PostgreSQLServer: Sendable {
    /// The superuser.
    package static let user = "parley"
    /// Of whoever connects to the port.
    package static let password = "correct horse"

    let directory: ServerDirectory
    private let options: ServerOptions
    private let process = Mutex<ChildProcess?>(nil)
    private let names = Atomic<Int>(0)
    private let templates = Mutex<Set<String>>([])
    /// Databases that no test has any more.
    private let retired = Mutex<Set<String>>([])

    /// Makes a cluster and starts it.
    package convenience init(_ options: ServerOptions = ServerOptions()) throws {
        try self.init(options) { try $0.initialize(segmentMegabytes: options.segmentMegabytes) }
        if options.port != nil {
            try connect().execute("ALTER ROLE \(Self.user) PASSWORD '\(Self.password)'")
        }
    }

    /// Makes a standby, which follows another server from now on, and starts it.
    package convenience init(standbyOf primary: PostgreSQLServer) throws {
        try self.init(primary.options) { try $0.copy(primary.directory) }
    }

    /// - Parameter fill: makes the files of a cluster.
    init(_ options: ServerOptions, _ fill: (ServerDirectory) throws -> Void) throws {
        self.options = options
        directory = try ServerDirectory()
        try fill(directory)
        let lines = options.authentication.map { $0 + "\n" }.joined()
        try directory.write(ServerOptions.authentication + lines, to: "data/pg_hba.conf")
        if let certificate = options.certificate {
            try directory.write(certificate.certificate, to: "certificate.pem")
            try directory.write(certificate.key, to: "key.pem")
        }
        try start()
    }

    deinit { stop(with: SIGQUIT) }

    /// One for all tests of the process that break nothing: each takes a database of its own.
    package static func shared() throws -> PostgreSQLServer { try sharedServer.get() }

    /// The same, which syncs, as parleyd demands it, and lets many connect.
    package static func sharedDurable() throws -> PostgreSQLServer { try sharedDurableServer.get() }

    private static let sharedServer: Result<PostgreSQLServer, any Error> = Result {
        let server = try PostgreSQLServer()
        // What lives as long as the process is never deinitialized.
        atexit { PostgreSQLServer.remove(sharedServer) }
        return server
    }

    private static let sharedDurableServer: Result<PostgreSQLServer, any Error> = Result {
        var options = ServerOptions()
        options.syncs = true
        // Of each of the gateways that run at once two cells with seven connections each, and those of the last ones.
        options.settings = ["max_connections": "400"]
        let server = try PostgreSQLServer(options)
        atexit { PostgreSQLServer.remove(sharedDurableServer) }
        return server
    }

    private static func remove(_ shared: Result<PostgreSQLServer, any Error>) {
        guard let server = try? shared.get() else { return }
        server.stop(with: SIGQUIT)
        server.directory.remove()
    }

    // Starting and ending.

    /// Starts it, after ``stop(with:)`` or ``kill()``, and waits until it answers.
    package func start() throws {
        let arguments = ["-D", directory.data] + options.assignments(directory).flatMap { ["-c", $0] }
        let child = try ServerPrograms.launch("postgres", arguments, log: directory.log)
        process.withLock { $0 = child }
        try child.awaitStart("postgres", said: String(directory.logged.suffix(2000))) { (try? connectToAny()) != nil }
    }

    /// Ends it, and waits: by SIGINT it rolls back what is open, by SIGTERM it waits for its clients, by SIGQUIT it
    /// leaves its files as they are.
    package func stop(with signal: Int32 = SIGINT) {
        resume()
        process.withLock { $0.take() }?.end(with: signal, grace: .seconds(60))
    }

    /// `kill -9` for all its processes, as when the machine ends. What was written stays in the system's memory.
    package func kill() {
        // The one that starts others can start no more.
        pause()
        guard let child = process.withLock({ $0.take() }) else { return }
        let children = children(of: child.identifier)
        child.send(SIGKILL)
        signal(SIGKILL, to: children)
        child.waitUntilEnded()
        // As long as one of them is there, no other server takes the files.
        for process in children { while Platform.kill(process, 0) == 0 { usleep(1_000) } }
    }

    /// Stops all its processes: it hears nothing and says nothing until ``resume()``, and its connections stay.
    package func pause() { signalAll(SIGSTOP) }

    package func resume() { signalAll(SIGCONT) }

    /// Keeps a copy of its files, in the place of an earlier one. It is stopped.
    package func keepFiles() throws { try directory.copy("data", to: "kept") }

    /// Puts the copy in the place of its files, as if a standby took over that had come as far. It is stopped.
    package func putBackFiles() throws { try directory.copy("kept", to: "data") }

    /// The process of the server, whose children are those of its connections.
    package var processIdentifier: Int32? { process.withLock { $0?.identifier } }

    private func signalAll(_ number: Int32) {
        guard let identifier = processIdentifier else { return }
        signal(number, to: [identifier])
        signal(number, to: children(of: identifier))
    }

    private func signal(_ number: Int32, to processes: [Int32]) {
        for process in processes { _ = Platform.kill(process, number) }
    }

    private func children(of identifier: Int32) -> [Int32] {
        let file = "/proc/\(identifier)/task/\(identifier)/children"
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }
    }

    // Reaching it.

    /// - Parameters:
    ///   - user: `guest` must have been made, and has a password; of all others nothing is asked.
    ///   - parameters: more of the URI, as `a=b&c=d`.
    package func uri(database: String = "postgres", user: String = user, parameters: String = "") -> String {
        let host = directory.path.replacing("/", with: "%2F")
        let port = options.port.map { ":\($0)" } ?? ""
        return "postgresql://\(user)@\(host)\(port)/\(database)\(parameters.isEmpty ? "" : "?\(parameters)")"
    }

    /// Where its socket lies.
    package var socketFolder: String { directory.path }

    /// By the port, where there is one.
    ///
    /// - Parameter host: whose address is that of the loopback.
    package func networkURI(host: String = "127.0.0.1", database: String = "postgres", parameters: String = "")
        -> String
    {
        "postgresql://\(Self.user)@\(host):\(options.port ?? 0)/\(database)?\(parameters)"
    }

    /// A connection to a database that is always there.
    package func connect() throws(PostgreSQLError) -> PostgreSQLConnection {
        try PostgreSQLConnection(PostgreSQLSettings(uri: uri(), program: "tests", mayOnlyRead: true))
    }

    /// The same, also while it is a standby.
    func connectToAny() throws(PostgreSQLError) -> PostgreSQLConnection {
        try PostgreSQLConnection(
            PostgreSQLSettings(uri: uri(parameters: "target_session_attrs=any"), program: "tests"))
    }

    // Databases.

    /// A new database, without a table.
    package func database() throws -> TestDatabase { try database(like: "template0") }

    /// A new database, as `prepare` has made one.
    ///
    /// - Parameter name: of letters. `prepare` runs once for each name, in a database that only serves to be copied.
    package func database(
        like name: String, prepare: (PostgreSQLConnection) throws -> Void
    ) throws -> TestDatabase {
        let template = "template_\(name)"
        try templates.withLock { templates in
            guard !templates.contains(template) else { return }
            try create(template, like: "template0")
            let connection = try PostgreSQLConnection(
                PostgreSQLSettings(uri: uri(database: template), program: "tests"))
            defer { connection.close() }
            try prepare(connection)
            templates.insert(template)
        }
        return try database(like: template)
    }

    private func database(like template: String) throws -> TestDatabase {
        let name = "test_\(names.add(1, ordering: .relaxed).newValue)"
        try create(name, like: template)
        return TestDatabase(name: name, server: self)
    }

    /// A test has no more use for a database, though what it began may still be connected.
    func retire(_ name: String) {
        var names = retired.withLock { retired in
            retired.insert(name)
            defer { retired.removeAll() }
            return retired
        }
        defer { retired.withLock { $0.formUnion(names) } }
        guard let connection = try? connect() else { return }
        defer { connection.close() }
        for name in names {
            let others = try? connection.query("SELECT 1 FROM pg_stat_activity WHERE datname = $1", [.text(name)])
            guard others?.count == 0, (try? connection.execute("DROP DATABASE \(name)")) != nil else { continue }
            names.remove(name)
        }
    }

    private func create(_ name: String, like template: String) throws {
        let connection = try connect()
        defer { connection.close() }
        try connection.execute("CREATE DATABASE \(name) TEMPLATE \(template)")
    }
}
