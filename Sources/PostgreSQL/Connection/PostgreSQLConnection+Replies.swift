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
        guard try awaitInput(handle, until: deadline) else { throw breakUp(.timedOut) }
        // A failure shows in the next result.
        _ = handle.consumeInput()
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
        switch result.status {
        case .synced:
            guard case .synced = pending.next else { throw breakUp(.malformedReply) }
            pending.removeSync()
        case .isDone, .hasRows: try succeeded(result)
        case .hasFailed: try failed(result, handle)
        case .wasSkipped:
            pending.hasResult = true
            if case .forgotten(let name) = pending.next { statements.retire(name) }
        case .unexpected: throw breakUp(.malformedReply)
        }
    }

    private func endNext(_ handle: ConnectionHandle) throws(PostgreSQLError) {
        if pending.hasResult { return pending.removeNext() }
        if handle.isLost { throw breakUp(.broken(reason: handle.errorMessage)) }
        // libpq may say so once more behind a point of synchronization; without end it would keep us here.
        pending.emptyEnds += 1
        if pending.emptyEnds > 2 { throw breakUp(.malformedReply) }
    }

    private func succeeded(_ result: ResultHandle) throws(PostgreSQLError) {
        // A server that gives several results for one statement is heard for the first.
        let isFirst = !pending.hasResult
        pending.hasResult = true
        switch pending.next {
        case .described(let answer): if isFirst { answer.result = result }
        case .run(let statement, let answer):
            if isFirst { answer?.result = result }
            // The server does not fail COMMIT in a transaction that has failed.
            if statement.isCommit, result.saysRollback {
                failure =
                    failure
                    ?? .server(
                        sqlState: .failedTransaction, message: "the transaction had failed and was rolled back",
                        constraint: nil)
            }
        case .prepared, .forgotten: break
        case .refused, .synced, nil: throw breakUp(.malformedReply)
        }
    }

    private func failed(_ result: ResultHandle, _ handle: ConnectionHandle) throws(PostgreSQLError) {
        pending.hasResult = true
        guard let error = result.refusal, let sqlState = error.sqlState else {
            throw breakUp(.broken(reason: result.errorMessage))
        }
        if case .run(let statement, _) = pending.next {
            // The tables have changed beneath it, or the server has lost it, and maybe the others.
            if sqlState == .featureNotSupported { statements.remove(statement) }
            if sqlState == .invalidStatementName { statements.forgetAll() }
        }
        failure = failure ?? error
        if sqlState.endsConnection { throw breakUp(error) }
    }
}
