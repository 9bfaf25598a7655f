import Platform

extension ConnectionHandle {
    /// A connection to the first server that will do.
    static func connect(_ settings: PostgreSQLSettings) throws(PostgreSQLError) -> ConnectionHandle {
        var failures: [PostgreSQLError] = []
        for options in settings.attempts {
            do throws(PostgreSQLError) {
                let handle = try ConnectionHandle(options)
                try handle.awaitConnection(until: .now.advanced(by: settings.connectLimit))
                return handle
            } catch {
                failures.append(error)
            }
        }
        if let only = failures.first, Set(failures).count == 1 { throw only }
        // The others may come back, and will refuse the same.
        if let refusal = failures.first(where: \.isRefusalToConnect) { throw refusal }
        throw .connection(reason: PrintableText.make(failures.map(\.description).joined(separator: "; ")))
    }

    private func awaitConnection(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        // As if it had been asked to write first (`PQconnectPoll`).
        var progress = isLost ? Progress.hasFailed : .wantsWrite
        while true {
            let wantsWrite: Bool
            switch progress {
            case .isConnected: return
            case .hasFailed: throw lacksPassword ? .noPassword : connectError.error
            case .wantsRead: wantsWrite = false
            case .wantsWrite: wantsWrite = true
            }
            let remaining = deadline - .now
            guard remaining > .zero else { throw .timedOut }
            var watched = [WatchedDescriptor(socket, read: !wantsWrite, write: wantsWrite)]
            do throws(SystemError) {
                guard try waitForEvents(&watched, timeout: remaining) > 0 else { continue }
            } catch {
                throw .connection(reason: error.description)
            }
            progress = connectPoll()
        }
    }
}
