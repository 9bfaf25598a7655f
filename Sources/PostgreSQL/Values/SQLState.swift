/// A server's code of a failure: five digits and capital letters, of which the first two are its class (PostgreSQL 15,
/// appendix A).
package struct SQLState: Hashable, Sendable {
    /// The five characters of ASCII, the first in the highest byte.
    private let characters: UInt64

    /// - Returns: `nil` unless there are five digits and capital letters.
    package init?(_ text: some Sequence<UInt8>) {
        var (characters, count): (UInt64, Int) = (0, 0)
        for character in text {
            guard count < 5, SQLState.isAllowed(character) else { return nil }
            characters = characters << 8 | UInt64(character)
            count += 1
        }
        guard count == 5 else { return nil }
        self.characters = characters
    }

    private init(_ code: StaticString) {
        characters = code.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }

    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }

    /// Whether its first two characters are these.
    package func isOfClass(_ prefix: StaticString) -> Bool { characters >> 24 == SQLState(prefix).characters }
}

extension SQLState: CustomStringConvertible {
    package var description: String {
        String(decoding: (0..<5).map { UInt8(truncatingIfNeeded: characters >> (32 - 8 * $0)) }, as: UTF8.self)
    }
}

// Those that a caller tells apart.
extension SQLState {
    package static let connectionFailure = SQLState("08006")
    package static let featureNotSupported = SQLState("0A000")
    package static let notNullViolation = SQLState("23502")
    package static let foreignKeyViolation = SQLState("23503")
    package static let uniqueViolation = SQLState("23505")
    package static let checkViolation = SQLState("23514")
    /// The transaction may only read: the server is a standby, or was set to refuse writes.
    package static let readOnlyTransaction = SQLState("25006")
    /// A statement failed before in this transaction.
    package static let failedTransaction = SQLState("25P02")
    package static let idleInTransactionTimeout = SQLState("25P03")
    /// There is no prepared statement of this name.
    package static let invalidStatementName = SQLState("26000")
    package static let invalidAuthorization = SQLState("28000")
    package static let invalidPassword = SQLState("28P01")
    /// There is no such database.
    package static let invalidCatalogName = SQLState("3D000")
    package static let invalidSchemaName = SQLState("3F000")
    package static let serializationFailure = SQLState("40001")
    package static let deadlockDetected = SQLState("40P01")
    package static let insufficientPrivilege = SQLState("42501")
    package static let syntaxError = SQLState("42601")
    package static let undefinedColumn = SQLState("42703")
    package static let undefinedTable = SQLState("42P01")
    package static let diskFull = SQLState("53100")
    package static let outOfMemory = SQLState("53200")
    package static let tooManyConnections = SQLState("53300")
    package static let objectInUse = SQLState("55006")
    package static let lockNotAvailable = SQLState("55P03")
    /// Cancelled, or longer than `statement_timeout`.
    package static let queryCanceled = SQLState("57014")
    package static let adminShutdown = SQLState("57P01")
    package static let crashShutdown = SQLState("57P02")
    /// The server starts, ends or recovers.
    package static let cannotConnectNow = SQLState("57P03")
    package static let databaseDropped = SQLState("57P04")
    package static let idleSessionTimeout = SQLState("57P05")

    /// Whether the transaction may succeed if the same is done again: another was in its way.
    package var isTransient: Bool {
        self == .serializationFailure || self == .deadlockDetected || self == .lockNotAvailable
    }

    /// Whether the server ends the connection with it.
    var endsConnection: Bool {
        switch self {
        case .adminShutdown, .crashShutdown, .cannotConnectNow, .databaseDropped, .idleSessionTimeout,
            .idleInTransactionTimeout:
            true
        default: false
        }
    }
}
