import GatewaySite
import Platform
import ParleyBridge
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Which page of a list.
enum ListedPlace: String, CaseIterable {
    case first, middle, last, archived
}

/// The conversations of one user: direct ones and groups of five by turns, some of their messages unread.
struct ListedConversations {
    /// When the conversations were last active.
    enum Activity: String, CaseIterable {
        case days = "over 30 days"
        /// No hint tells one from another: the worst for the order.
        case minute = "within a minute"

        /// In milliseconds.
        var span: Int64 {
            switch self {
            case .days: 30 * 86_400_000
            case .minute: 59_000
            }
        }
    }

    let conversations: Int
    let messages: Int
    let unread: Int
    let activity: Activity

    /// So many of the list are archived beside those in it.
    private static let archived = 100
    private static let others = 100

    private static func user(_ name: String) throws -> UserID {
        guard let user = UserID(name) else { throw SiteError.badName }
        return user
    }

    func fill(_ store: Store, stop: StopFlag) throws {
        let begun = Timestamp(milliseconds: Timestamp.systemNow.milliseconds - activity.span)
        let owner = try Self.user("owner")
        let others = try (0..<Self.others).map { try Self.user("other-\($0)") }
        try store.write { transaction in
            for user in others + [owner] {
                try transaction.users.insert(user, role: .member, displayName: user.text, at: begun)
            }
        }
        for number in 0..<conversations + Self.archived {
            if stop.isRaised { throw LoadError.interrupted }
            try store.write { transaction in
                let members = (0..<(number % 2 == 0 ? 1 : 4)).map { others[(number + $0) % others.count] }
                try add(number, of: owner, with: members, begun, transaction)
            }
        }
        try store.checkpoint()
    }

    private func add(
        _ number: Int, of owner: UserID, with others: [UserID], _ begun: Timestamp, _ transaction: WriteTransaction
    ) throws {
        let id = ConversationID.random()
        _ = try transaction.conversations.insert(
            NewConversation(
                id: id, type: others.count == 1 ? .direct : .group, name: others.count == 1 ? nil : "Group \(number)",
                creator: owner, members: ([owner] + others).map { ($0, .member) }, epoch: "bench", digest: nil),
            at: begun)
        guard var state = try transaction.facts.conversations.conversation(id) else {
            throw Rejection.conversationNotFound
        }
        let sender = DeviceAddress(user: others[0], device: Self.device)
        let lastAt = begun.advanced(byMilliseconds: .random(in: 0...activity.span))
        for count in 0..<messages {
            // By turns, as they would come: no two of one conversation lie side by side.
            try transaction.append(
                .random(), to: &state, from: sender, at: count == messages - 1 ? lastAt : begun,
                number: count * (conversations + Self.archived) + number + 1)
        }
        try transaction.conversations.updateLog(&state)
        let reader = DeviceAddress(user: owner, device: sender.device)
        for (kind, seq) in [(.delivered, messages), (.read, messages - min(messages, .random(in: 0...unread)))]
            as [(ReceiptKind, Int)]
        {
            try mark(kind, upTo: seq, by: reader, in: state, transaction, at: lastAt)
        }
        if number >= conversations {
            try transaction.members.setPreferences(ConversationPreferences(isArchived: true), of: owner, in: &state)
        }
    }

    private func mark(
        _ kind: ReceiptKind, upTo seq: Int, by reader: DeviceAddress, in conversation: ConversationState,
        _ transaction: WriteTransaction, at time: Timestamp
    ) throws {
        guard let state = try transaction.facts.receipts.state(of: reader, in: conversation.facts.id),
            let advance = ReceiptRule.decide(kind, upTo: seq, state, .everything, now: time)
        else { return }
        var writes = PendingWrites()
        writes.advance(advance, of: reader, in: conversation.key)
        _ = try transaction.apply(writes)
    }

    private static let device: DeviceID = "phone"

    /// Reads pages of a place as the gateway does, one at a time: p50, p99 and most, as text.
    func read(
        _ place: ListedPlace, limit: Int, times: Int, in store: Store, stop: StopFlag
    ) throws -> [String] {
        let owner = try Self.user("owner")
        let offset =
            switch place {
            case .first, .archived: 0
            case .middle: conversations / 2
            case .last: max(0, conversations - limit)
            }
        let request = ListConversations(limit: limit, offset: offset, archived: place == .archived)
        var taken: [Int64] = []
        for _ in 0..<times {
            if stop.isRaised { throw LoadError.interrupted }
            let begun = MonotonicTime.now
            let page = try store.read { try ConversationPage.read(request, for: owner, $0, now: .systemNow) }
            var writer = JSONWriter()
            page.write(to: &writer)
            taken.append(MonotonicTime.now - begun)
        }
        taken.sort()
        return [taken.percentile(0.5), taken.percentile(0.99), taken.last].map { time in
            time.map { "\((Double($0) / 1e6).formatted(2)) ms" } ?? ""
        }
    }
}
