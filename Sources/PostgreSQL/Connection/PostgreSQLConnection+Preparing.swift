extension PostgreSQLConnection {
    /// The statement of this text, which is prepared if it is not yet.
    ///
    /// - Returns: `nil` if it failed, or something before it did.
    func statement(
        _ text: String, _ handle: ConnectionHandle, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> PreparedStatement? {
        if let statement = statements.use(text) { return statement }
        return try prepare(text, handle, until: deadline)
    }

    /// Has the server prepare a statement, and waits for the types of its parameters.
    private func prepare(
        _ text: String, _ handle: ConnectionHandle, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> PreparedStatement? {
        guard !text.utf8.contains(0) else {
            try refuse(.invalidText, handle)
            return nil
        }
        try forgetRetired(handle)
        let name = statements.nextName()
        let description = Answer()
        try sending(handle) { () throws(PostgreSQLError) in
            try handle.sendPrepare(name, text)
            pending.append(.prepared)
            try handle.sendDescribe(name)
            pending.append(.described(description))
        }
        try receiveAll(handle, until: deadline)
        guard failure == nil else { return nil }
        guard let result = description.result else { throw breakUp(.malformedReply) }
        var types: [ParameterType] = []
        for oid in result.parameterTypes {
            guard let type = try type(oid, handle, until: deadline) else {
                statements.retire(name)
                if failure == nil { try refuse(.unsupportedType(oid: oid), handle) }
                return nil
            }
            types.append(type)
        }
        let statement = PreparedStatement(text: text, name: name, parameters: types)
        statements.insert(statement)
        return statement
    }

    /// Has the server forget the statements that have given way.
    private func forgetRetired(_ handle: ConnectionHandle) throws(PostgreSQLError) {
        // A transaction that has failed takes nothing but its ROLLBACK, which may be the statement to be prepared.
        guard handle.transaction != .failed else { return }
        for name in statements.takeRetired() {
            try sending(handle) { () throws(PostgreSQLError) in try handle.sendOnce("DEALLOCATE \(name.text)") }
            pending.append(.forgotten(name))
        }
    }

    /// The type of this number, or the one beneath it if it is a domain.
    private func type(
        _ oid: UInt32, _ handle: ConnectionHandle, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> ParameterType? {
        if let type = ParameterType(rawValue: oid) { return type }
        if let known = domains[oid] { return known }
        // A domain may be one of another domain.
        var (base, steps) = (oid, 0)
        while ParameterType(rawValue: base) == nil, steps < 4 {
            guard let next = try baseType(base, handle, until: deadline) else { break }
            (base, steps) = (next, steps + 1)
        }
        guard failure == nil else { return nil }
        domains[oid] = .some(ParameterType(rawValue: base))
        return ParameterType(rawValue: base)
    }

    /// The number of the type beneath a domain; `nil` for what is none. No point of synchronization.
    private func baseType(
        _ oid: UInt32, _ handle: ConnectionHandle, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> UInt32? {
        let answer = Answer()
        try enqueue(
            "SELECT typbasetype FROM pg_catalog.pg_type WHERE oid = $1 AND typtype = 'd'", [.integer(Int(oid))], answer)
        try receiveAll(handle, until: deadline)
        guard failure == nil, let result = answer.result else { return nil }
        let rows = try PostgreSQLRows(result)
        return rows.integer(0, 0).flatMap { UInt32(exactly: $0) }
    }

    /// Waits for all that is pending. Without a BEGIN what was sent before stays one transaction with what comes.
    private func receiveAll(
        _ handle: ConnectionHandle, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        if isInTransaction {
            try sendPause(handle)
        } else {
            try sending(handle) { () throws(PostgreSQLError) in try handle.sendFlushRequest() }
        }
        try receive(handle, leaving: 0, until: deadline)
    }
}
