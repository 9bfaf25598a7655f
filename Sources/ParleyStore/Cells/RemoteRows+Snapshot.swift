extension Snapshot {
    /// Runs a query of the engine's own, with tables that a database file does not have.
    package func remoteRows(_ sql: String, _ values: [BoundValue]) throws(StoreError) -> any RemoteRows {
        switch database.engine {
        case .remote(let connection): return try connection.rows(sql, values)
        case .sqlite, .recorder: throw .failed(code: "cells", message: "a database file has no cells")
        }
    }
}
