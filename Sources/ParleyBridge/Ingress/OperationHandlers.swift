import ParleyProtocol

/// The operations of the table with what carries each out, looked up once a request.
struct OperationHandlers: Sendable {
    /// One operation.
    struct Entry: Sendable {
        /// What the rates of requests count by.
        let area: String
        let isForOperators: Bool
        /// Whether it is never replied to.
        let isSilent: Bool
        let table: TableShape?
        fileprivate let handler: Handler

        /// A request that was read.
        enum Parsed {
            case command(any CommandHandler)
            case query(any QueryHandler)
        }

        /// Reads a request from a scanned payload.
        func read(_ object: JSONObject) throws(Rejection) -> Parsed {
            switch handler {
            case .command(let type): .command(try type.init(object))
            case .query(let type): .query(try type.init(object))
            }
        }
    }

    fileprivate enum Handler {
        case command(any CommandHandler.Type)
        case query(any QueryHandler.Type)
    }

    private var entries: [Operation: Entry] = [:]

    /// - Throws: for an operation that nothing carries out, and for one that is in the table twice.
    init(_ operations: [OperationTable.Entry] = OperationTable.entries) throws(OperationTableError) {
        for entry in operations {
            let request = entry.request
            let handler = try OperationHandlers.handler(of: entry)
            let known = entries.updateValue(
                Entry(
                    area: request.operation.area, isForOperators: request.isForOperators,
                    isSilent: !request.hasReply, table: request.table, handler: handler),
                forKey: request.operation)
            guard known == nil else { throw .repeated(request.operation) }
        }
    }

    /// - Returns: `nil` for an operation that there is not.
    subscript(operation: Operation) -> Entry? { entries[operation] }

    private static func handler(of entry: OperationTable.Entry) throws(OperationTableError) -> Handler {
        switch entry {
        case .command(let type):
            guard let type = type as? any CommandHandler.Type else { throw .notHandled(type.operation) }
            return .command(type)
        case .query(let type):
            guard let type = type as? any QueryHandler.Type else { throw .notHandled(type.operation) }
            return .query(type)
        }
    }
}

/// A fault of the program: the gateway does not start with it.
enum OperationTableError: Error, Equatable, CustomStringConvertible {
    case notHandled(Operation)
    case repeated(Operation)

    var description: String {
        switch self {
        case .notHandled(let operation): "nothing in this gateway carries out \(operation)"
        case .repeated(let operation): "the table of operations has \(operation) twice"
        }
    }
}
