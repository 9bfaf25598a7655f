extension PostgreSQLConnection {
    /// Runs statements that have neither parameters nor rows, one behind the other: a point of synchronization.
    ///
    /// For migrations and settings: each time, the server reads and plans them anew. Without BEGIN they are one
    /// transaction.
    ///
    /// - Throws: the first failure, also of what was sent before; then the script was not run.
    package func execute(_ script: String) throws(PostgreSQLError) {
        try sync()
        guard !script.utf8.contains(0) else { throw .invalidText }
        let handle = try openHandle()
        let deadline = deadline()
        try sending(handle) { () throws(PostgreSQLError) in
            try handle.exitPipeline()
            try handle.sendScript(script)
        }
        let failure = try scriptFailure(handle, until: deadline)
        isInTransaction = handle.transaction != .none
        try sending(handle) { () throws(PostgreSQLError) in try handle.enterPipeline() }
        if let failure { throw failure }
    }

    /// Reads a script's results to their end.
    private func scriptFailure(
        _ handle: ConnectionHandle, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> PostgreSQLError? {
        var failure: PostgreSQLError?
        while true {
            while handle.isBusy, !handle.isLost { try exchange(handle, until: deadline) }
            guard let result = handle.nextResult() else { return failure }
            // There may be results without end.
            guard deadline > .now else { throw breakUp(.timedOut) }
            switch result.status {
            case .isDone, .hasRows: break
            case .hasFailed:
                guard let error = result.refusal else { throw breakUp(.broken(reason: result.errorMessage)) }
                failure = failure ?? error
                if error.leavesOutcomeOpen { throw breakUp(error) }
            case .wasSkipped, .synced: throw breakUp(.malformedReply)
            // It would wait for data, or send some, without end.
            case .unexpected: throw breakUp(.broken(reason: "a script cannot use COPY"))
            }
        }
    }

    /// The most notifications that one call returns; the others are the next one's.
    private static let mostNotifications = 1000

    /// Waits for what other connections notify this one of, which has done `LISTEN`. Not while something is pending.
    ///
    /// - Returns: what has come, at once if something has; nothing when `deadline` is over.
    package func notifications(
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> [PostgreSQLNotification] {
        let handle = try openHandle()
        var list: [PostgreSQLNotification] = []
        while true {
            guard handle.consumeInput() else { throw breakUp(.broken(reason: handle.errorMessage)) }
            while list.count < Self.mostNotifications, let notification = handle.nextNotification() {
                list.append(notification)
            }
            if !list.isEmpty { return list }
            guard try awaitInput(handle, until: deadline) else { return [] }
        }
    }
}
