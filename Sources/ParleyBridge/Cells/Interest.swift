import ParleyProtocol
import ParleyStore

/// What of the other cells' streams somebody at this cell may hear: only of that the content is read.
///
/// The broker's plugin may report late who has connected, so what was passed over is looked at again for a while when
/// somebody has come for the first time. A value, which a round that fails leaves as it was.
struct Interest {
    private let people: ConnectedPeople
    /// So many have come for the first time; `nil` while it is not known, and anybody may hear everything. Who comes
    /// while a round reads counts from the next look on, so that of two events the later is never heard before the
    /// earlier.
    private var arrivals: Int?
    private var passedOver = PassedOver()
    private var lookedAt: ContinuousClock.Instant?

    /// The shortest time between two looks at what was passed over.
    private static let pause = Duration.milliseconds(50)

    init(people: ConnectedPeople) { self.people = people }

    /// The first position of each stream that may be looked at again, by its cell.
    var firsts: [Int: StreamPosition] { passedOver.firsts }

    /// Begins a round.
    ///
    /// - Parameter read: how far the streams are read.
    /// - Returns: the positions of what was passed over and is for somebody who has come since.
    mutating func begin(
        at now: ContinuousClock.Instant, read: StreamVector, in snapshot: Snapshot
    ) throws(StoreError) -> [StreamPosition] {
        // Before the arrivals: whoever was reported until then is among them.
        let handled = people.handledUntil(now: now)
        guard let arrivals = people.arrivals else { return [] }
        var heard: [StreamPosition] = []
        if self.arrivals.map({ $0 < arrivals }) ?? true {
            guard lookedAt.map({ $0.duration(to: now) >= Interest.pause }) ?? true else { return [] }
            self.arrivals = arrivals
            lookedAt = now
            let entries = passedOver.unheard
            heard = zip(entries, try areHeard(entries, in: snapshot)).filter(\.1).map(\.0.position)
            passedOver.recordHeard(Set(heard))
        }
        // Only behind that look, since the last round may be long ago.
        passedOver.forget(at: handled, read: read)
        return heard
    }

    /// The positions of the entries that are for somebody here; the others are passed over.
    ///
    /// - Parameter entries: the next of a stream, in order.
    mutating func positions(
        of entries: [StreamEntry], at now: ContinuousClock.Instant, in snapshot: Snapshot
    ) throws(StoreError) -> [StreamPosition] {
        var positions: [StreamPosition] = []
        for (entry, isHeard) in zip(entries, try areHeard(entries, in: snapshot)) {
            if isHeard { positions.append(entry.position) } else { passedOver.add(entry, at: now) }
        }
        return positions
    }

    private func areHeard(_ entries: [StreamEntry], in snapshot: Snapshot) throws(StoreError) -> [Bool] {
        let topics = entries.map { entry -> Topic? in
            guard case .topic(let bytes, false) = entry.audience else { return nil }
            return Topic(parsing: bytes.span)
        }
        let keys = try snapshot.outbox.keys(of: Set(topics.compactMap(\.?.hearingConversation)))
        let conversations = zip(entries, topics).map { entry, topic -> ConversationKey? in
            switch entry.audience {
            case .conversation(let key): key
            case .topic: topic?.hearingConversation.flatMap { keys[$0] }
            }
        }
        let hearers = try snapshot.outbox.hearers(Set(conversations.compactMap { $0 }))
        return entries.indices.map { index in
            let users =
                conversations[index].map { hearers[$0] ?? [] } ?? topics[index]?.hearingUser.map { Set([$0]) }
            // For anything else the broker's plugin alone knows the audience.
            guard let users, let arrivals else { return true }
            return people.mayHear(users, of: arrivals)
        }
    }
}

extension Topic {
    /// The conversation whose members hear it, and nobody else.
    fileprivate var hearingConversation: ConversationID? {
        if case .conversation(let id, _) = self { id } else { nil }
    }

    /// The user who alone hears it.
    fileprivate var hearingUser: UserID? {
        switch self {
        case .user(let user, .events), .user(let user, .notifications): user
        case .user, .up, .down, .conversation, .group, .gatewayStatus, .gatewayStats: nil
        }
    }
}
