import ParleyProtocol

/// The audiences in force, and a snapshot that is being received.
struct AudienceFeed: Sendable {
    /// `nil` until the first snapshot is ready, and after a failure.
    private(set) var audiences: Audiences?
    private var snapshot: (version: UInt64, audiences: Audiences)?

    enum Effect {
        /// Added to a snapshot that is not ready.
        case pending
        /// A snapshot is in force.
        case swapped(version: UInt64, Audiences)
        /// Applied to the audiences in force.
        case applied
    }

    /// - Throws: `AudienceFeedError.outOfOrder` for a change before any snapshot, or the end of one that was not begun.
    mutating func apply(_ change: AudienceChange) throws(AudienceFeedError) -> Effect {
        switch change {
        case .begin(let version):
            snapshot = (version, Audiences())
            return .pending
        case .ready(let version):
            guard let ready = snapshot, ready.version == version else { throw .outOfOrder }
            audiences = ready.audiences
            snapshot = nil
            return .swapped(version: version, ready.audiences)
        case .limits, .device, .deviceEnded, .conversation, .conversationEnded, .group, .groupEnded, .friends,
            .friendsEnded:
            if snapshot != nil {
                snapshot?.audiences.apply(change)
                return .pending
            }
            guard audiences != nil else { throw .outOfOrder }
            audiences?.apply(change)
            return .applied
        // Not of the audiences: in force at once.
        case .lease: return .applied
        }
    }

    /// Changes the status of a device before the gateway knows of it.
    mutating func set(_ status: DeviceStatus, for address: DeviceAddress) { audiences?.set(status, for: address) }

    /// Drops everything: no audiences are in force until the next snapshot.
    mutating func fail() {
        lapse()
        snapshot = nil
    }

    /// Drops the audiences in force. One that is being received may take longer than a lease.
    mutating func lapse() { audiences = nil }
}

extension Audiences {
    fileprivate mutating func apply(_ change: AudienceChange) {
        switch change {
        case .limits(let limits): self.limits = limits
        case .device(let address, let status): set(status, for: address)
        case .deviceEnded(let address): end(address)
        case .conversation(let id, let members, let silences): set(members, silences: silences, of: id)
        case .conversationEnded(let id): end(id)
        case .group(let id, let conversation): set(conversation, of: id)
        case .groupEnded(let id): end(id)
        case .friends(let one, let other): befriend(one, other)
        case .friendsEnded(let one, let other): unfriend(one, other)
        case .begin, .ready, .lease: break
        }
    }
}
