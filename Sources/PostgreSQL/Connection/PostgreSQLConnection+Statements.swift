extension PostgreSQLConnection {
    /// So many bytes leave without waiting for a point of synchronization: the server works meanwhile. libpq sends 8192
    /// of its own accord, and they are to be followed by the end that `sendPause` gives them.
    private static let flushedBytes = 6 << 10
    /// What a statement takes beside its parameters.
    private static let statementBytes = 96

    /// Sends a statement, of which nobody wants rows, and does not wait for its result.
    ///
    /// A statement that was not used before is prepared first, for which this waits. So does it while the server takes
    /// nothing, for its results are read meanwhile.
    ///
    /// - Parameters:
    ///   - statement: with parameters as `$1`.
    ///   - values: of the types that the server infers, a number of a boolean as 0 or 1.
    /// - Throws: what is known now of this and the statements before. The next point of synchronization throws it
    ///   again, and nothing is sent until then: what came before cannot be committed any more.
    package func send(_ statement: String, _ values: [PostgreSQLValue] = []) throws(PostgreSQLError) {
        try enqueue(statement, values, nil)
        if let failure { throw failure }
    }

    /// Sends a statement and waits for its rows: a point of synchronization.
    ///
    /// - Throws: the first failure since the last one. Then the statement was not run.
    package func query(
        _ statement: String, _ values: [PostgreSQLValue] = []
    ) throws(PostgreSQLError) -> PostgreSQLRows {
        let answer = Answer()
        try enqueue(statement, values, answer)
        try sync()
        return try rows(answer)
    }

    /// Sends several statements and waits for the rows of all of them: one point of synchronization, one round trip.
    package func query(
        all queries: [(statement: String, values: [PostgreSQLValue])]
    ) throws(PostgreSQLError) -> [PostgreSQLRows] {
        var answers: [Answer] = []
        for query in queries {
            let answer = Answer()
            try enqueue(query.statement, query.values, answer)
            answers.append(answer)
        }
        try sync()
        var all: [PostgreSQLRows] = []
        for answer in answers { all.append(try rows(answer)) }
        return all
    }

    /// Waits until all that was sent has succeeded: a point of synchronization.
    ///
    /// - Throws: the first failure since the last one. The connection can be used as before, unless it is broken; a
    ///   transaction that was begun is to be rolled back.
    package func sync() throws(PostgreSQLError) {
        let handle = try openHandle()
        if !pending.isSynced {
            let deadline = deadline()
            try sendPause(handle)
            try receive(handle, leaving: 0, until: deadline)
        }
        if let failure = failure.take() { throw failure }
    }

    /// Ends what was sent, so that the server counts how long a transaction stands still. In the midst of a pipeline it
    /// would wait for ever, with all that the transaction has locked, if this process stands still or is cut off.
    func sendPause(_ handle: ConnectionHandle) throws(PostgreSQLError) {
        try sending(handle) { () throws(PostgreSQLError) in try handle.sendSync() }
        pending.append(.synced)
    }

    /// Drops the failures of what was sent, and ends a transaction that was begun.
    package func rollback() throws(PostgreSQLError) {
        do throws(PostgreSQLError) { try sync() } catch { guard isOpen else { throw error } }
        switch transaction {
        case .none: return
        case .open, .failed, .unknown: _ = try query("ROLLBACK")
        }
    }

    /// The end of a call that begins now.
    func deadline() -> ContinuousClock.Instant { .now.advanced(by: timeLimit) }

    private func rows(_ answer: Answer) throws(PostgreSQLError) -> PostgreSQLRows {
        guard let result = answer.result else { throw breakUp(.malformedReply) }
        return try PostgreSQLRows(result)
    }

    /// Queues a statement, and flushes what is much. A failure of it is kept for the next point of synchronization.
    ///
    /// - Throws: only if the connection is broken.
    func enqueue(_ text: String, _ values: [PostgreSQLValue], _ answer: Answer?) throws(PostgreSQLError) {
        let handle = try openHandle()
        guard failure == nil else { return }
        let deadline = deadline()
        guard let statement = try statement(text, handle, until: deadline) else { return }
        do throws(PostgreSQLError) {
            try parameters.set(values, statement.parameters)
        } catch {
            try refuse(error, handle)
            return
        }
        try sending(handle) { () throws(PostgreSQLError) in try handle.sendExecute(statement.name, parameters) }
        pending.append(.run(statement, answer))
        if let boundary = statement.boundary { isInTransaction = boundary == .begin }
        unflushedBytes += Self.statementBytes + parameters.size
        if unflushedBytes >= Self.flushedBytes { try flush(handle, until: deadline) }
    }

    /// Fails for a reason of our own, and sees to it that the server does, too: what came before is not to be
    /// committed by whoever overlooks the failure, or had begun no transaction.
    func refuse(_ error: PostgreSQLError, _ handle: ConnectionHandle) throws(PostgreSQLError) {
        failure = failure ?? error
        try sending(handle) { () throws(PostgreSQLError) in try handle.sendExecute(.none, ParameterBuffer()) }
        pending.append(.refused)
    }
}
