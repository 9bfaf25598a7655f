import ParleyProtocol
import ParleyStore

/// What of the other cells' streams somebody at this cell may hear: only of that the content is read.
struct Interest {
    let people: ConnectedPeople

    /// The positions of the entries that are for somebody here.
    func positions(of entries: [StreamEntry], in snapshot: Snapshot) throws(StoreError) -> [StreamPosition] {
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
        var positions: [StreamPosition] = []
        for (index, entry) in entries.enumerated() {
            let users =
                conversations[index].map { hearers[$0] ?? [] } ?? topics[index]?.hearingUser.map { Set([$0]) }
            // For anything else the broker's plugin alone knows the audience.
            if users.map(people.mayHear) ?? true { positions.append(entry.position) }
        }
        return positions
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
