/// The reason why a connection was not made, was lost, or refused a statement. No case carries a value of a statement
/// or a row.
package enum PostgreSQLError: Error, Hashable, Sendable {
    // Connecting.

    case invalidSettings(SettingsFault)
    /// No server was reached, or it could not be trusted; in libpq's words.
    case connection(reason: String)
    /// The server asks for a password, and there is none.
    case noPassword

    // Connecting and later.

    /// The server's refusal. A `constraint` is the name of that which was violated.
    case server(sqlState: SQLState, message: String, constraint: String?)
    /// The call's time was over. The connection is broken, and whether the server did what it was asked is not known.
    case timedOut
    /// The connection is lost, by this call or before it.
    case broken(reason: String)
    /// The server sent what libpq or this module cannot take. The connection is broken.
    case malformedReply

    // Statements.

    /// A parameter or a column has a type that is not supported, by its number in `pg_type`.
    case unsupportedType(oid: UInt32)
    /// The statement has another number of parameters.
    case wrongNumberOfValues(expected: Int, actual: Int)
    /// A value cannot be that of a parameter, which are counted from 1 as in the statement.
    case valueDoesNotFit(parameter: Int, type: ParameterType)
    /// A statement or a script holds NUL.
    case invalidText
    case outOfMemory

    /// The server's code.
    package var sqlState: SQLState? {
        if case .server(let sqlState, _, _) = self { sqlState } else { nil }
    }

    /// Whether a server was there and did not let this program in: its user, its password, its database.
    package var isRefusalToConnect: Bool {
        switch self {
        case .noPassword: true
        case .server(let sqlState, _, _): sqlState.isOfClass("28") || sqlState == .invalidCatalogName
        case .invalidSettings, .connection, .timedOut, .broken, .malformedReply, .unsupportedType,
            .wrongNumberOfValues, .valueDoesNotFit, .invalidText, .outOfMemory:
            false
        }
    }

    /// Whether what was sent may have been done all the same: a COMMIT that got no reply.
    package var leavesOutcomeOpen: Bool {
        switch self {
        case .timedOut, .broken, .malformedReply: true
        case .server(let sqlState, _, _): sqlState.endsConnection
        case .invalidSettings, .connection, .noPassword, .unsupportedType, .wrongNumberOfValues, .valueDoesNotFit,
            .invalidText,
            .outOfMemory:
            false
        }
    }
}

extension PostgreSQLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidSettings(let fault): fault.description
        case .connection(let reason): "PostgreSQL cannot be reached: \(reason)"
        case .noPassword: "PostgreSQL asks for a password, and there is none"
        case .server(let sqlState, let message, _): "PostgreSQL refused: \(message) (\(sqlState))"
        case .timedOut: "PostgreSQL did not answer in time"
        case .broken(let reason): "the connection to PostgreSQL is lost: \(reason)"
        case .malformedReply: "PostgreSQL sent something that is not its protocol"
        case .unsupportedType(let oid): "a statement uses a type that is not supported (\(oid) in pg_type)"
        case .wrongNumberOfValues(let expected, let actual):
            "a statement has \(expected) parameters and was given \(actual) values"
        case .valueDoesNotFit(let parameter, let type):
            "the value of parameter \(parameter) is not of the type \(type.name)"
        case .invalidText: "a statement holds a NUL character"
        case .outOfMemory: "libpq has no memory"
        }
    }
}
