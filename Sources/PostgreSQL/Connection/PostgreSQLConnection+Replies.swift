import Platform

extension PostgreSQLConnection {
    /// Receives replies until only `count` are pending.
    func receive(
        _ handle: ConnectionHandle, leaving count: Int, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        unflushedBytes = 0
        while pending.count > count {
            // Of a lost connection libpq gives what came before the end, and then the reason.
            if handle.isBusy, !handle.isLost { try exchange(handle, until: deadline) } else { try receiveNext(handle) }
        }
    }

    /// Writes all that is queued, and receives what has come. It reads while it cannot write: else the server, whose
    /// results nobody takes, would wait for us and we for it.
    func flush(_ handle: ConnectionHandle, until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        if isInTransaction { try sendPause(handle) }
        unflushedBytes = 0
        while !handle.flush() {
            try exchange(handle, until: deadline)
            try receiveReady(handle)
        }
        if !handle.consumeInput(), !handle.isLost { throw breakUp(.broken(reason: handle.errorMessage)) }
        try receiveReady(handle)
    }

    private func receiveReady(_ handle: ConnectionHandle) throws(PostgreSQLError) {
        while pending.count > 0, !handle.isBusy { try receiveNext(handle) }
    }

    /// Waits until the server has sent something or takes something.
    func exchange(_ handle: ConnectionHandle, until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        let isInTime = try awaitInput(handle, until: deadline)
        // A failure shows in the next result.
        _ = handle.consumeInput()
        // It may have been this process that was away, and the reply is here.
        if !isInTime, handle.isBusy, !handle.isLost { throw breakUp(.timedOut) }
    }

    /// Waits until there is something to read, or something that was queued can be written.
    ///
    /// - Returns: `false` when the time is over. A server that always has something to say has no more of it than
    ///   others.
    func awaitInput(
        _ handle: ConnectionHandle, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> Bool {
        let hasWritten = handle.flush()
        let remaining = deadline - .now
        if handle.hasHiddenInput { return remaining > .zero }
        var watched = [WatchedDescriptor(handle.socket, write: !hasWritten)]
        do throws(SystemError) {
            return try waitForEvents(&watched, timeout: remaining) > 0 && remaining > .zero
        } catch {
            throw breakUp(.broken(reason: error.description))
        }
    }

    /// Takes libpq's next result, or its word that those of a statement have ended.
    private func receiveNext(_ handle: ConnectionHandle) throws(PostgreSQLError) {
        guard let result = handle.nextResult() else { return try endNext(handle) }
        if case .synced = result.status {
            guard case .synced = pending.next else { throw breakUp(.malformedReply) }
            return pending.removeSync()
        }
        // A statement of the extended protocol has one: of more there would be no end.
        guard !pending.hasResult else { throw breakUp(.malformedReply) }
        pending.hasResult = true
        switch result.status {
        case .isDone, .hasRows: try succeeded(result)
        case .hasFailed: try failed(result)
        case .wasSkipped: if case .forgotten(let name) = pending.next { statements.retire(name) }
        case .synced, .unexpected: throw breakUp(.malformedReply)
        }
    }

    private func endNext(_ handle: ConnectionHandle) throws(PostgreSQLError) {
        if handle.isLost, !pending.hasResult { throw breakUp(.broken(reason: handle.errorMessage)) }
        if case .synced = pending.next {
            // What fails only at the end, such as a deferred constraint, comes before the end itself.
            pending.hasResult = false
        } else if pending.hasResult {
            return pending.removeNext()
        }
        // A server that lets libpq say so again and again would keep us here.
        pending.emptyEnds += 1
        if pending.emptyEnds > 3 { throw breakUp(.malformedReply) }
    }

    private func succeeded(_ result: ResultHandle) throws(PostgreSQLError) {
        switch pending.next {
        case .described(let answer): answer.result = result
        case .run(let statement, let answer):
            answer?.result = result
            // The server does not fail COMMIT in a transaction that has failed.
            if statement.boundary == .commit, result.saysRollback { fail(.failedTransaction) }
        case .prepared, .forgotten: break
        case .refused, .synced, nil: throw breakUp(.malformedReply)
        }
    }

    private func failed(_ result: ResultHandle) throws(PostgreSQLError) {
        guard let error = result.refusal, let sqlState = error.sqlState else {
            throw breakUp(.broken(reason: result.errorMessage))
        }
        switch pending.next {
        // The tables have changed beneath it.
        case .run(let statement, _) where sqlState == .featureNotSupported: statements.remove(statement)
        // The server has lost it, and maybe the others.
        case .run where sqlState == .invalidStatementName: statements.forgetAll()
        case .forgotten(let name) where sqlState != .invalidStatementName: statements.retire(name)
        case .prepared, .described, .run, .forgotten, .refused, .synced, nil: break
        }
        fail(error)
        if sqlState.endsConnection { throw breakUp(error) }
    }

    private func fail(_ error: PostgreSQLError) { failure = failure ?? error }
}

extension PostgreSQLError {
    fileprivate static let failedTransaction = PostgreSQLError.server(
        sqlState: .failedTransaction, message: "the transaction had failed and was rolled back", constraint: nil)
}
