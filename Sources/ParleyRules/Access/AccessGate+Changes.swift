import ParleyProtocol

/// What the plugin does after a message of changes.
package struct AudienceOutcome: Hashable, Sendable {
    /// The client ids of the connections to end.
    package var ended: [String]
    /// To the gateway.
    package var answer: AudienceAnswer?

    package init(ended: [String] = [], answer: AudienceAnswer? = nil) { (self.ended, self.answer) = (ended, answer) }
}

extension AccessGate {
    /// Handles a message to `AudienceChange.topic`; `nil` if it is not from the gateway.
    ///
    /// An unreadable message ends all connections of devices and keeps them out until a new snapshot: they get what
    /// they missed when they connect again.
    package mutating func handle(_ message: [UInt8], from key: ConnectionKey) -> AudienceOutcome? {
        resumption.end()
        guard connections.isGateway(key) else { return nil }
        var outcome = AudienceOutcome()
        do {
            for change in try AudienceCodec.changes(in: message) { try apply(change, &outcome) }
        } catch {
            feed.fail()
            outcome.ended += connections.end { _ in true }
            outcome.answer = .snapshotNeeded(error)
        }
        filters.forgetConnections(in: outcome.ended)
        counts.accessEnded += outcome.ended.count
        return outcome
    }

    private mutating func apply(
        _ change: AudienceChange, _ outcome: inout AudienceOutcome
    ) throws(AudienceFeedError) {
        switch try feed.apply(change) {
        case .pending: break
        case .swapped(let version, let audiences):
            for address in connections.addresses {
                if let status = audiences.status(of: address) {
                    outcome.ended += update(address, status)
                } else {
                    outcome.ended += connections.end(address)
                }
            }
            succession.retain { audiences.status(of: $0) != nil }
            for successor in succession.everyone {
                if let status = audiences.status(of: successor.device) { _ = update(successor.device, status) }
            }
            resumption.retain { audiences.status(of: $0) != nil }
            usage.retain { audiences.status(of: $0) != nil }
            removals = removals.filter { audiences.status(of: $0.address) != nil }
            away.retain { audiences.status(of: $0) != nil }
            filters.retain { audiences.status(of: $0) != nil }
            unmeasured = nil
            unmeasuredDueAt = uptime + AccessGate.retainingTime
            outcome.answer = .ready(version: version)
            everyoneDueAt = .min
            successionDueAt = .min
            reportedCounts = nil
        case .applied:
            switch change {
            case .device(let address, let status):
                outcome.ended += update(address, status)
            case .deviceEnded(let address):
                outcome.ended += connections.end(address)
                succession.forget(address)
                resumption.forget(address)
                usage.forget(address)
                away.forget(address)
                if let id = ClientID(address: address) { filters.forget(id) }
                removals = removals.filter { $0.address != address }
            case .lease(let end): leaseEnd = Int64(clamping: end)
            case .begin, .limits, .ready, .conversation, .conversationEnded, .group, .groupEnded, .friends,
                .friendsEnded:
                break
            }
        }
    }

    /// Ends all connections of devices, if the lease has ended since the last call; `nil` if it has not.
    package mutating func drainLapse() -> AudienceOutcome? {
        guard hasLapsed else { return nil }
        hasLapsed = false
        let ended = connections.end { _ in true }
        filters.forgetConnections(in: ended)
        counts.accessEnded += ended.count
        return AudienceOutcome(ended: ended, answer: .snapshotNeeded(.leaseOver))
    }

    /// - Returns: the client ids of the connections to end.
    private mutating func update(_ address: DeviceAddress, _ status: DeviceStatus) -> [String] {
        let adjusted = succession.adjusted(status, of: address)
        if adjusted != status { feed.set(adjusted, for: address) }
        earliestExpiry = min(earliestExpiry, adjusted.previous?.endsAt ?? .max, adjusted.expiresAt)
        return connections.update(address, adjusted)
    }
}
