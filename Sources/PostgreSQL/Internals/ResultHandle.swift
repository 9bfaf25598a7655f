import CPostgreSQL

/// Owns one `PGresult`. libpq answers a question about a row or a column that is not there with nothing.
@safe final class ResultHandle {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

    /// `PQclear`
    deinit { unsafe PQclear(pointer) }

    /// What a result says of its statement.
    enum Status {
        case isDone
        case hasRows
        case hasFailed
        /// A statement before it has failed.
        case wasSkipped
        case synced
        /// Nothing that is asked for here, such as the beginning of COPY.
        case unexpected
    }

    /// `PQresultStatus`
    var status: Status {
        switch unsafe PQresultStatus(pointer) {
        case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .isDone
        case PGRES_TUPLES_OK: .hasRows
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE: .hasFailed
        case PGRES_PIPELINE_ABORTED: .wasSkipped
        case PGRES_PIPELINE_SYNC: .synced
        default: .unexpected
        }
    }

    /// The server's refusal; `nil` if the failure is libpq's own.
    ///
    /// Its detail holds values, and so do the messages of data exceptions, behind a quotation mark.
    var refusal: PostgreSQLError? {
        guard let code = field("C"), let sqlState = SQLState(code.utf8) else { return nil }
        let message = field("M") ?? ""
        let shown = sqlState.isOfClass("22") ? String(message.prefix { $0 != "\"" }) : message
        return .server(sqlState: sqlState, message: shown, constraint: field("n"))
    }

    /// `PQresultErrorField`
    ///
    /// - Parameter field: its letter in the protocol (PostgreSQL 15, §55.8): `PG_DIAG_SQLSTATE` is C.
    private func field(_ field: Unicode.Scalar) -> String? {
        guard let text = unsafe PQresultErrorField(pointer, CInt(field.value)) else { return nil }
        return unsafe PrintableText.make(text)
    }

    /// `PQresultErrorMessage`: libpq's own.
    var errorMessage: String { unsafe PrintableText.make(PQresultErrorMessage(pointer)) }

    /// `PQcmdStatus`: whether the transaction that was to be committed was rolled back.
    var saysRollback: Bool {
        guard let tag = unsafe PQcmdStatus(pointer) else { return false }
        return unsafe String(cString: tag) == "ROLLBACK"
    }

    /// `PQcmdTuples`: the number of rows that the statement changed or gave.
    var changedRows: Int {
        guard let digits = unsafe PQcmdTuples(pointer) else { return 0 }
        return unsafe Int(String(cString: digits)) ?? 0
    }

    /// `PQnparams` and `PQparamtype`, by the types' numbers.
    var parameterTypes: [UInt32] {
        unsafe (0..<max(0, PQnparams(pointer))).map { unsafe PQparamtype(pointer, $0) }
    }

    /// `PQntuples`
    var rowCount: Int { unsafe Int(PQntuples(pointer)) }

    /// `PQnfields`
    var columnCount: Int { unsafe Int(PQnfields(pointer)) }

    /// `PQftype`, and `PQfformat`, which must be binary.
    func columnType(_ column: Int) -> UInt32? {
        guard let column = CInt(exactly: column), unsafe PQfformat(pointer, column) == 1 else { return nil }
        return unsafe PQftype(pointer, column)
    }

    /// The bytes of a value (`PQgetvalue`, `PQgetlength`, `PQgetisnull`).
    ///
    /// - Returns: `nil` for NULL, and where there is no such row or column.
    func withValue<Result>(_ row: Int, _ column: Int, _ body: (Span<UInt8>) -> Result?) -> Result? {
        guard let row = CInt(exactly: row), let column = CInt(exactly: column),
            unsafe PQgetisnull(pointer, row, column) == 0, let start = unsafe PQgetvalue(pointer, row, column)
        else { return nil }
        let count = unsafe Int(PQgetlength(pointer, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: max(0, count))
        return unsafe body(bytes.bindMemory(to: UInt8.self).span)
    }

    /// `PQgetisnull`, which is 1 too where there is no such row or column.
    func isNull(_ row: Int, _ column: Int) -> Bool {
        guard let row = CInt(exactly: row), let column = CInt(exactly: column) else { return true }
        return unsafe PQgetisnull(pointer, row, column) != 0
    }
}
