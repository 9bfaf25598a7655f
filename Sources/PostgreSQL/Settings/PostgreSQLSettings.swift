/// How a server is reached: one address, or several of which the first that will do is taken.
///
/// What neither the URI nor this type says is libpq's: `PGUSER`, a password in `PGPASSFILE`, in the file that the URI
/// names as `passfile`, or in `~/.pgpass`.
package struct PostgreSQLSettings: Sendable {
    /// By libpq's keywords, for all servers.
    private let common: [String: String]
    private let servers: [Server]
    /// How long one server may take to accept a connection; `connect_timeout`, or 5 s. The look-up of a host's name
    /// may take longer.
    package var connectLimit: Duration

    static let sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
    static let targetSessions = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"]

    /// - Parameters:
    ///   - uri: `postgresql://user@host:port/database?keyword=value`, as libpq takes it (PostgreSQL 15, §34.1.1.2).
    ///   - password: in place of the URI's.
    ///   - program: the connections' name in the server's statistics, unless the URI has an `application_name`.
    ///   - mayOnlyRead: whether a server will do that takes no writes, unless the URI has `target_session_attrs`.
    /// - Throws: ``PostgreSQLError/invalidSettings(_:)``
    package init(
        uri: String, password: String? = nil, program: String, mayOnlyRead: Bool = false
    ) throws(PostgreSQLError) {
        guard !uri.utf8.contains(0), password?.utf8.contains(0) != true, !program.utf8.contains(0) else {
            throw .invalidSettings(.nul)
        }
        guard uri.hasPrefix("postgres://") || uri.hasPrefix("postgresql://") else { throw .invalidSettings(.notURI) }
        var options = try ConnectionOptions.parse(uri)
        do throws(SettingsFault) {
            servers = try Server.list(&options)
            connectLimit = try PostgreSQLSettings.connectLimit(&options)
            try PostgreSQLSettings.check(options)
        } catch {
            throw .invalidSettings(error)
        }
        let isLocal = servers.allSatisfy(\.isLocal)
        common = PostgreSQLSettings.defaults(
            isLocal: isLocal, program: program, mayOnlyRead: mayOnlyRead
        )
        .merging(options) { _, own in own }
        .merging(PostgreSQLSettings.always) { _, always in always }
        .merging(password.map { ["password": $0] } ?? [:]) { _, given in given }
    }

    /// What holds unless the URI says otherwise.
    private static func defaults(isLocal: Bool, program: String, mayOnlyRead: Bool) -> [String: String] {
        var defaults = [
            "fallback_application_name": program,
            // Nothing is encrypted between two processes of one machine, unless the server insists.
            "sslmode": isLocal ? "allow" : "verify-full",
            "gssencmode": "disable",
            // A peer that is gone is found out after 25 s, and one that takes nothing after 10.
            "keepalives": "1", "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
            "tcp_user_timeout": "10000",
            "target_session_attrs": mayOnlyRead ? "any" : "read-write",
        ]
        if !isLocal { defaults["sslrootcert"] = TrustedCertificates.file }
        return defaults
    }

    private static let always = ["client_encoding": "UTF8"]

    private static func connectLimit(_ options: inout [String: String]) throws(SettingsFault) -> Duration {
        guard let text = options.removeValue(forKey: "connect_timeout") else { return .seconds(5) }
        guard let seconds = Int(text), (1...600).contains(seconds) else { throw .connectTimeout }
        return .seconds(seconds)
    }

    private static func check(_ options: [String: String]) throws(SettingsFault) {
        if let mode = options["sslmode"], !sslModes.contains(mode) { throw .sslMode }
        if let session = options["target_session_attrs"], !targetSessions.contains(session) { throw .targetSession }
        // The first would bring hosts of its own, the second another protocol.
        for keyword in ["service", "replication"] where options[keyword] != nil { throw .unsupported(keyword: keyword) }
    }

    /// One attempt to connect after the other, each with libpq's options.
    var attempts: [[String: String]] {
        let session = "target_session_attrs"
        // libpq would prefer among the hosts that it is given, and it is given one at a time.
        guard common[session] == "prefer-standby" else { return servers.map { common.merging($0.options) { $1 } } }
        return ["standby", "any"].flatMap { choice in
            servers.map { common.merging($0.options) { $1 }.merging([session: choice]) { $1 } }
        }
    }
}

// A password is never printed, dumped or interpolated.
extension PostgreSQLSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// User, hosts and database.
    package var description: String {
        let user = common["user"].map { "\($0)@" } ?? ""
        let hosts = servers.map(\.description).joined(separator: ",")
        return PrintableText.make("postgresql://\(user)\(hosts)/\(common["dbname"] ?? "")")
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
