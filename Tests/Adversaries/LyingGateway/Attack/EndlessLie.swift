import ParleyProtocol

/// Lies that would keep a client busy for ever.
package enum EndlessLie: String, LieFamily {
    case list, total, sync, history, requests, invites

    package var sentence: String {
        switch self {
        case .list: "the list of conversations goes round: each page is the first, and there is always another"
        case .total: "the list of conversations has 2^62 entries, all of them new"
        case .sync: "sync/get is never complete"
        case .history: "a history has another page behind each, with nothing on it"
        case .requests: "of those who ask to write there is another page behind each, with others on it"
        case .invites: "the list of a group's invites goes round: each page is the first, and there is always another"
        }
    }

    package var moments: [Lie.Moment] {
        switch self {
        case .list, .total, .sync: [.beforeFirstContact, .betweenSends]
        case .history, .requests, .invites: [.betweenSends]
        }
    }

    package var way: Lie.Way {
        switch self {
        case .list, .total, .sync: .connecting
        case .history, .requests, .invites: .answer
        }
    }
}

extension World {
    private static let total = 1 << 62

    /// A page of a list that has no end.
    mutating func endlessList(_ request: ListConversations, for user: UserID) -> Answer {
        pages += 1
        let members = order.compactMap { threads[$0] }.filter { $0.members.contains(user) }
        let isNew = tells(.endless(.total))
        let page: [ToldConversation] =
            isNew
            ? (0..<request.limit).map { _ in
                ToldConversation(
                    id: .random(), type: ConversationType.group.rawValue, createdBy: user, createdAt: now,
                    updatedAt: now, epoch: "e1", lastSeq: 0, members: [user, Attacker.user])
            } : members.prefix(request.limit).map(\.object)
        return .accepted { writer in
            writer.object { object in
                object.member("conversations", array: page) { $1.write(to: &$0, inList: true) }
                object.member("total", World.total)
                object.member("limit", request.limit)
                object.member("offset", request.offset)
            }
        }
    }

    /// A page of those who ask to write: nobody, or others without end.
    mutating func requests(_ request: ListRequests) -> Answer {
        guard tells(.endless(.requests)) else { return .page([MessageRequest](), next: nil) }
        let items = (0..<request.page.limit).map { index in
            MessageRequest(
                conversation: .random(), user: UserID(validated: "stranger-\(pages)-\(index)"), createdAt: now,
                message: nil)
        }
        pages += 1
        return .page(items, next: "page-\(pages)")
    }

    /// A page of a group's invites: the same without end.
    mutating func invites(_ request: ListInvites, of user: UserID) -> Answer {
        pages += 1
        let invite = Invite(
            id: InviteID(request.group.value), group: request.group, expiresAt: .latest, usesLeft: nil, createdBy: user,
            createdAt: now)
        return .page([invite], next: "page-\(pages)")
    }

    /// A page of a history that has no end.
    mutating func endlessHistory(_ thread: TrueConversation) -> Answer {
        pages += 1
        let summary = HistorySummary(
            hasMore: true, nextCursor: World.total - pages, epoch: thread.epoch, lastSeq: thread.lastSeq,
            foundOldest: false, foundNewest: false)
        return .accepted { HistoryReply(messages: [], summary: summary).write(to: &$0) }
    }
}

extension Answer {
    /// A page of a list.
    static func page<Item: GatewayObject>(_ items: [Item], next cursor: String?) -> Answer {
        .accepted { writer in
            writer.object { object in
                object.member("items", array: items) { $1.write(to: &$0) }
                object.member("next_cursor", cursor)
            }
        }
    }
}
