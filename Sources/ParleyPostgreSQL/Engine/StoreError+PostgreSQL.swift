import ParleyStore
import PostgreSQL

extension StoreError {
    /// What was thrown on the way through a transaction.
    init(anything error: any Error) {
        self = if let error = error as? PostgreSQLError { StoreError(error) } else { StoreError(error) }
    }

    /// What keeps a process from starting. Trying again helps only where the server is away, or takes no writes now.
    init(starting error: any Error, on server: String) {
        guard let error = error as? PostgreSQLError, let reason = StoreError.lastingReason(error) else {
            self = StoreError(anything: error)
            return
        }
        self = .unusable(path: server, message: reason)
    }

    private static func lastingReason(_ error: PostgreSQLError) -> String? {
        guard case .server(let state, let message, _) = error else {
            return error.isRefusalToConnect ? "it asks for a password, and none is given" : nil
        }
        return switch state {
        case .invalidCatalogName: "there is no such database: \(message) (\(state))"
        case .insufficientPrivilege:
            "its user lacks a right: \(message) (\(state)); the user must own the database, or the schema "
                + PostgreSQLMigrations.schema
        case .undefinedTable, .undefinedColumn, .invalidSchemaName:
            "its schema \(PostgreSQLMigrations.schema) is not as Parley has made it: \(message) (\(state))"
        default: error.isRefusalToConnect ? "the server does not let its user in: \(message) (\(state))" : nil
        }
    }

    /// The store's word for what PostgreSQL says. A message never holds values of a row.
    init(_ error: PostgreSQLError) {
        switch error {
        case .server(let state, let message, _): self = StoreError.refusal(state, message)
        case .connection, .noPassword, .timedOut, .broken, .malformedReply, .outOfMemory:
            self = .unavailable(message: error.description)
        case .invalidSettings(let fault): self = .unusable(path: "--store", message: fault.description)
        case .unsupportedType, .wrongNumberOfValues, .valueDoesNotFit, .invalidText:
            self = .failed(code: "client", message: error.description)
        }
    }

    private static func refusal(_ state: SQLState, _ message: String) -> StoreError {
        switch state {
        case .serializationFailure, .deadlockDetected, .lockNotAvailable: .conflict(message: "\(message) (\(state))")
        case .uniqueViolation: .notUnique(code: "\(state)", message: message)
        case .diskFull: .full
        case .readOnlyTransaction:
            .unavailable(message: "it takes no writes: it is a standby, or was made read-only (\(state))")
        case .insufficientPrivilege: .unavailable(message: "a right is missing: \(message) (\(state))")
        case .undefinedTable, .undefinedColumn, .invalidSchemaName:
            .unavailable(message: "its schema is not ours any more: \(message) (\(state))")
        case .queryCanceled, .tooManyConnections, .outOfMemory, .adminShutdown, .crashShutdown, .cannotConnectNow,
            .databaseDropped, .idleSessionTimeout, .idleInTransactionTimeout, .invalidPassword, .invalidAuthorization,
            .invalidCatalogName:
            .unavailable(message: "\(message) (\(state))")
        default:
            // Classes 08, 53, 57 and 58: connections, resources, operators and the system.
            ["08", "53", "57", "58"].contains { state.description.hasPrefix($0) }
                ? .unavailable(message: "\(message) (\(state))") : .failed(code: "\(state)", message: message)
        }
    }
}
