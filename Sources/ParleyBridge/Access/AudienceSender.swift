import MQTTClient
import ParleyProtocol
import ParleyStore

/// Feeds the broker's plugin over one connection: a snapshot first, then changes.
struct AudienceSender {
    private enum State {
        case idle
        /// The plugin is to confirm this version, when it has all of it.
        case sendingSnapshot(version: UInt64)
        case ready
    }

    private var state = State.idle
    private var waiting: [[UInt8]] = []
    private var underway: Set<PacketIdentifier> = []

    /// Whether the snapshot is in force.
    var isReady: Bool {
        if case .ready = state { true } else { false }
    }

    /// Whether a change may not have arrived yet.
    var isUnacknowledged: Bool { !underway.isEmpty || !waiting.isEmpty }

    /// Begins with a snapshot, which is not ready at its end.
    mutating func begin(_ messages: [[UInt8]], version: UInt64) {
        waiting = messages
        state = .sendingSnapshot(version: version)
    }

    /// Has the snapshot come into force behind these changes.
    mutating func finish(with changes: [AudienceChange]) {
        guard case .sendingSnapshot(let version) = state else { return }
        waiting += AudienceCodec.messages(for: changes + [.ready(version: version)])
    }

    /// Sends changes, after the waiting ones.
    mutating func send(_ changes: [AudienceChange], over connection: MQTTConnection) throws {
        if !changes.isEmpty { waiting += AudienceCodec.messages(for: changes) }
        var sent = 0
        while sent < waiting.count, connection.canPublish {
            underway.insert(try connection.publish(topic: AudienceChange.topic, payload: waiting[sent]))
            sent += 1
        }
        waiting.removeFirst(sent)
    }

    /// - Returns: whether the acknowledgement was for a change.
    mutating func handle(_ acknowledgement: Acknowledgement) throws -> Bool {
        guard underway.remove(acknowledgement.packet) != nil else { return false }
        guard !acknowledgement.reason.isFailure else { throw AudienceError.refused(acknowledgement.reason) }
        return true
    }

    mutating func handle(_ answer: AudienceAnswer?) throws {
        switch (answer, state) {
        case (.ready(let version), .sendingSnapshot(let expected)) where version == expected: state = .ready
        case (.ready, _): break
        // It lets nobody hear anything until it has the snapshot that is under way.
        case (.snapshotNeeded(.leaseOver), .sendingSnapshot): break
        case (.snapshotNeeded(let refusal), _): throw AudienceError.snapshotNeeded(refusal)
        case (nil, _): throw AudienceError.notUnderstood
        }
    }
}

/// Why the plugin needs a new snapshot, over a new connection.
enum AudienceError: Error {
    case refused(ReasonCode)
    case snapshotNeeded(AudienceFeedError)
    case notUnderstood
    /// Other cells went on without this one, or have told of a change that it cannot read.
    case changesMissed
}

extension Snapshot {
    /// The snapshot for the broker's plugin, as messages in order, but for its end.
    func audienceMessages(version: UInt64, limits: BrokerLimits) throws -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var changes: [AudienceChange] = [.begin(version: version), .limits(limits)]
        func pack(_ change: AudienceChange) {
            changes.append(change)
            if changes.count >= 512 {
                messages += AudienceCodec.messages(for: changes)
                changes.removeAll(keepingCapacity: true)
            }
        }
        try devices.readAll { pack(.device($0.address, $0.status)) }
        try audiences.readAll { conversation, members, silences in
            pack(.conversation(conversation, members: members, silences: silences))
        }
        try groups.readAll { pack(.group($0, of: $1)) }
        try audiences.readFriendships { one, other in pack(.friends(one, other)) }
        messages += AudienceCodec.messages(for: changes)
        return messages
    }
}
