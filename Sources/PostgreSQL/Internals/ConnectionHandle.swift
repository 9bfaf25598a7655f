import CPostgreSQL

/// Owns one `PGconn`, from `PQconnectStartParams` to `PQfinish`. Each method is one function of the library, and none
/// of them waits but for the look-up of a host's name.
@safe final class ConnectionHandle {
    private let pointer: OpaquePointer

    /// `PQconnectStartParams`
    ///
    /// - Parameter options: by libpq's keywords; none holds NUL.
    init(_ options: [String: String]) throws(PostgreSQLError) {
        let names = options.keys.sorted()
        let pointer = unsafe CStrings.with(names) { keywords in
            unsafe CStrings.with(names.map { options[$0] ?? "" }) { values in
                unsafe PQconnectStartParams(keywords, values, 0)
            }
        }
        guard let pointer = unsafe pointer else { throw .outOfMemory }
        unsafe self.pointer = unsafe pointer
        // Without a receiver of ours libpq prints what servers say to standard error.
        unsafe PQsetNoticeReceiver(pointer, { _, _ in }, nil)
        // A refusal to connect is a text and no result: only so it holds the server's code.
        unsafe PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
    }

    /// `PQfinish`
    deinit { unsafe PQfinish(pointer) }

    /// How a connection comes about.
    enum Progress {
        case wantsRead
        case wantsWrite
        case isConnected
        case hasFailed
    }

    /// `PQconnectPoll`
    func connectPoll() -> Progress {
        switch unsafe PQconnectPoll(pointer) {
        case PGRES_POLLING_READING: .wantsRead
        case PGRES_POLLING_WRITING: .wantsWrite
        case PGRES_POLLING_OK: .isConnected
        default: .hasFailed
        }
    }

    /// `PQsocket`, -1 when there is none. It changes from one address to the next while connecting.
    var socket: Int32 { unsafe PQsocket(pointer) }

    /// `PQstatus`: whether the connection was not made, or is lost.
    var isLost: Bool { unsafe PQstatus(pointer) == CONNECTION_BAD }

    /// `PQerrorMessage`
    var errorMessage: String { unsafe PrintableText.make(PQerrorMessage(pointer)) }

    /// `PQerrorMessage`, which holds the server's refusal after an attempt to connect.
    var connectError: ConnectError { unsafe ConnectError(message: PQerrorMessage(pointer)) }

    /// `PQconnectionNeedsPassword`: whether the attempt to connect failed for want of one.
    var lacksPassword: Bool { unsafe PQconnectionNeedsPassword(pointer) == 1 }

    /// `PQtransactionStatus`
    var transaction: TransactionStatus {
        switch unsafe PQtransactionStatus(pointer) {
        case PQTRANS_IDLE: .none
        case PQTRANS_INTRANS: .open
        case PQTRANS_INERROR: .failed
        default: .unknown
        }
    }

    /// `PQbackendPID`
    var process: Int32 { unsafe PQbackendPID(pointer) }

    /// `PQserverVersion`: 150004 for 15.4.
    var serverVersion: Int { unsafe Int(PQserverVersion(pointer)) }

    /// `PQsslInUse`
    var isEncrypted: Bool { unsafe PQsslInUse(pointer) == 1 }

    /// `PQsetnonblocking`
    func setNonBlocking() throws(PostgreSQLError) {
        guard unsafe PQsetnonblocking(pointer, 1) == 0 else { throw .broken(reason: errorMessage) }
    }

    /// `PQenterPipelineMode`
    func enterPipeline() throws(PostgreSQLError) { try unsafe check(PQenterPipelineMode(pointer)) }

    /// `PQexitPipelineMode`
    func exitPipeline() throws(PostgreSQLError) { try unsafe check(PQexitPipelineMode(pointer)) }

    /// `PQgetCancel`
    func makeCanceller() throws(PostgreSQLError) -> CancelHandle {
        guard let cancel = unsafe PQgetCancel(pointer) else { throw .outOfMemory }
        return unsafe CancelHandle(cancel)
    }

    // Sending.

    /// `PQsendPrepare`; the server infers the types of the parameters.
    func sendPrepare(_ name: StatementName, _ text: String) throws(PostgreSQLError) {
        try unsafe check(PQsendPrepare(pointer, name.text, text, 0, nil))
    }

    /// `PQsendDescribePrepared`
    func sendDescribe(_ name: StatementName) throws(PostgreSQLError) {
        try unsafe check(PQsendDescribePrepared(pointer, name.text))
    }

    /// `PQsendQueryPrepared`, with parameters and rows in binary form.
    func sendExecute(_ name: StatementName, _ parameters: borrowing ParameterBuffer) throws(PostgreSQLError) {
        let code = unsafe parameters.withCArrays { count, values, lengths, formats in
            unsafe PQsendQueryPrepared(pointer, name.text, count, values, lengths, formats, 1)
        }
        try check(code)
    }

    /// `PQsendQueryParams` without parameters: one statement that is not prepared.
    func sendOnce(_ text: String) throws(PostgreSQLError) {
        try unsafe check(PQsendQueryParams(pointer, text, 0, nil, nil, nil, nil, 1))
    }

    /// `PQsendQuery`: the simple protocol, which is for several statements, outside the pipeline.
    func sendScript(_ text: String) throws(PostgreSQLError) { try unsafe check(PQsendQuery(pointer, text)) }

    /// `PQsendFlushRequest`: the server is to send what it has so far.
    func sendFlushRequest() throws(PostgreSQLError) { try unsafe check(PQsendFlushRequest(pointer)) }

    /// `PQpipelineSync`
    func sendSync() throws(PostgreSQLError) { try unsafe check(PQpipelineSync(pointer)) }

    /// `PQflush`: whether all that was queued is written. A failure shows when input is consumed.
    func flush() -> Bool { unsafe PQflush(pointer) != 1 }

    // Receiving.

    /// `PQconsumeInput`: whether the connection is still there. What came before its end can be read all the same.
    func consumeInput() -> Bool { unsafe PQconsumeInput(pointer) == 1 }

    /// Whether there is input that `poll` does not see (`SSL_pending`).
    var hasHiddenInput: Bool { unsafe parley_pending_tls_bytes(pointer) > 0 }

    /// `PQisBusy`: whether ``nextResult()`` would wait.
    var isBusy: Bool { unsafe PQisBusy(pointer) == 1 }

    /// `PQgetResult`; `nil` behind the last result of a statement.
    func nextResult() -> ResultHandle? {
        guard let result = unsafe PQgetResult(pointer) else { return nil }
        return unsafe ResultHandle(result)
    }

    /// `PQnotifies`
    func nextNotification() -> PostgreSQLNotification? {
        guard let notification = unsafe PQnotifies(pointer) else { return nil }
        defer { unsafe PQfreemem(notification) }
        return unsafe PostgreSQLNotification(
            channel: String(cString: notification.pointee.relname),
            payload: String(cString: notification.pointee.extra), process: notification.pointee.be_pid)
    }

    /// Checks the return code of a call that sends: 1, or the connection is of no use any more.
    private func check(_ code: CInt) throws(PostgreSQLError) {
        guard code == 1 else { throw .broken(reason: errorMessage) }
    }
}

/// Where a connection is with its transaction, as of the last point of synchronization.
package enum TransactionStatus: Hashable, Sendable {
    case none
    case open
    /// A statement failed: the transaction can only be rolled back.
    case failed
    /// A statement is under way, or the connection is lost.
    case unknown
}
