import ParleyProtocol

/// What the plugin is to do after a message of changes.
package struct AudienceOutcome: Hashable, Sendable {
    /// The client ids of the connections that end now.
    package var ended: [String]
    /// What is answered to the gateway, if anything.
    package var answer: AudienceAnswer?

    package init(ended: [String] = [], answer: AudienceAnswer? = nil) {
        self.ended = ended
        self.answer = answer
    }
}

extension AccessGate {
    /// A message to `AudienceChange.topic`; `nil` if it is not the gateway's.
    ///
    /// A message that cannot be taken shuts the devices out until there is a new snapshot, and ends their
    /// connections: what they would miss meanwhile they learn by connecting again.
    package mutating func take(_ message: [UInt8], from key: ConnectionKey) -> AudienceOutcome? {
        resumption.end()
        guard connections.isGateway(key) else { return nil }
        var outcome = AudienceOutcome()
        do {
            for change in try AudienceCodec.changes(in: message) { try take(change, &outcome) }
        } catch {
            feed.fail()
            outcome.ended += connections.end { _ in true }
            outcome.answer = .snapshotNeeded(error)
        }
        return outcome
    }

    private mutating func take(
        _ change: AudienceChange, _ outcome: inout AudienceOutcome
    ) throws(AudienceRefusal) {
        switch try feed.take(change) {
        case .aside: break
        case .swapped(let version, let audiences):
            for address in connections.addresses {
                if let standing = audiences.standing(of: address) {
                    outcome.ended += update(address, standing)
                } else {
                    outcome.ended += connections.end(address)
                }
            }
            succession.keep { audiences.standing(of: $0) != nil }
            for successor in succession.everyone {
                if let standing = audiences.standing(of: successor.device) { _ = update(successor.device, standing) }
            }
            resumption.keep { audiences.standing(of: $0) != nil }
            usage.keep { audiences.standing(of: $0) != nil }
            removals = removals.filter { audiences.standing(of: $0.address) != nil }
            away.keep { audiences.standing(of: $0) != nil }
            outcome.answer = .ready(version: version)
            everyoneDueAt = .min
            successionDueAt = .min
            toldCounts = nil
        case .applied:
            switch change {
            case .device(let address, let standing):
                outcome.ended += update(address, standing)
            case .deviceEnded(let address):
                outcome.ended += connections.end(address)
                succession.forget(address)
                resumption.forget(address)
                usage.forget(address)
                away.forget(address)
                removals = removals.filter { $0.address != address }
            case .begin, .limits, .ready, .conversation, .conversationEnded, .friends, .friendsEnded: break
            }
        }
    }

    /// The device stands so, as far as the gateway knows.
    ///
    /// - Returns: the client ids of the connections that end by it.
    private mutating func update(_ address: DeviceAddress, _ standing: DeviceStanding) -> [String] {
        let adjusted = succession.adjusted(standing, of: address)
        if adjusted != standing { feed.set(adjusted, for: address) }
        earliestExpiry = min(earliestExpiry, adjusted.previous?.endsAt ?? .max, adjusted.expiresAt)
        return connections.update(address, adjusted)
    }
}
