/// What is wrong with the settings of a connection. No case carries a password.
package enum SettingsFault: Error, Hashable, Sendable {
    /// It does not begin with `postgres://` or `postgresql://`.
    case notURI
    /// In libpq's words, without what it quotes of the URI.
    case malformed(reason: String)
    /// Between 1 and 65,535, one for each host or one for all.
    case port
    /// There are not as many addresses as hosts.
    case hosts
    case sslMode
    /// Between 1 and 600 seconds.
    case connectTimeout
    case targetSession
    /// A setting that is not taken from a URI here.
    case unsupported(keyword: String)
    case nul
}

extension SettingsFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notURI: "the address of a PostgreSQL server begins with postgres:// or postgresql://"
        case .malformed(let reason): "the address of the PostgreSQL server cannot be read: \(reason)"
        case .port: "a PostgreSQL server's port is between 1 and 65535, one for each host or one for all"
        case .hosts: "there must be a hostaddr for each host of a PostgreSQL server"
        case .sslMode: "sslmode is one of \(PostgreSQLSettings.sslModes.joined(separator: ", "))"
        case .connectTimeout: "connect_timeout is between 1 and 600 seconds"
        case .targetSession:
            "target_session_attrs is one of \(PostgreSQLSettings.targetSessions.joined(separator: ", "))"
        case .unsupported(let keyword): "the address of a PostgreSQL server cannot set \(keyword)"
        case .nul: "the address of a PostgreSQL server, its password and the program's name hold no NUL"
        }
    }
}
