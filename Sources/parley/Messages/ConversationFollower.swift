import ParleyClient
import ParleyProtocol

/// Prints the records of conversations in their order, each once, from a place on: from history where events have a
/// hole.
struct ConversationFollower: Sendable {
    let client: MessagingClient
    /// `nil` for all.
    let only: ConversationID?
    let print: @Sendable (ChatMessage) -> Void
    private var marks: [ConversationID: Mark] = [:]

    /// Up to where a conversation was printed.
    private struct Mark {
        var epoch: String?
        var seq = 0
        /// Printed, but not opened yet.
        var unopened: Set<MessageID> = []
    }

    /// Of how many messages it is remembered that they could not be opened, in each conversation.
    private static let mostUnopened = 1000

    init(client: MessagingClient, only: ConversationID?, print: @escaping @Sendable (ChatMessage) -> Void) {
        self.client = client
        self.only = only
        self.print = print
    }

    /// Takes up where each conversation stands now: what follows is new.
    ///
    /// - Parameter history: so many records before that are not printed yet.
    mutating func begin(history: Int) async throws {
        for conversation in await client.conversations() where only == nil || only == conversation.id {
            let newest = try await newestPlace(in: conversation.id)
            marks[conversation.id] = Mark(epoch: newest?.epoch, seq: max(0, (newest?.seq ?? 0) - history))
        }
    }

    private func newestPlace(in id: ConversationID) async throws -> ChatMessage.Place? {
        try await client.history(of: id, limit: 1, withChanges: true).messages.last { $0.place != nil }?.place
    }

    /// Prints what comes after the marks already.
    mutating func printHistory() async throws {
        for id in marks.keys.sorted() { try await catchUp(id) }
    }

    mutating func take(_ event: ClientEvent) async throws {
        switch event {
        case .message(let message), .change(let message): try await take(message)
        case .missed: try await printHistory()
        case .historyReset(let id):
            let newest = try await newestPlace(in: id)
            marks[id] = Mark(epoch: newest?.epoch, seq: newest?.seq ?? 0)
        case .connected, .waiting, .ended, .status, .messageExpired, .receipt, .typing, .conversationAdded,
            .conversationChanged, .conversationRemoved, .messageRequest, .friendAdded, .friendRemoved, .userBlocked,
            .userUnblocked, .presence, .deviceAdded, .deviceRenewed, .keyChanged, .setAside, .storageFailed:
            break
        }
    }

    private mutating func take(_ message: ChatMessage) async throws {
        guard let place = message.place, only == nil || only == message.conversation else { return }
        let mark = marks[message.conversation] ?? Mark()
        guard mark.epoch == nil || mark.epoch == place.epoch else { return }
        switch place.seq {
        case mark.seq + 1: show(message, place)
        case ...mark.seq where mark.unopened.contains(message.id) && !message.isUnreadable: show(message, place)
        case ...mark.seq: break
        default: try await catchUp(message.conversation)
        }
    }

    /// Prints from the mark on to the newest.
    private mutating func catchUp(_ id: ConversationID) async throws {
        while true {
            let seq = marks[id]?.seq ?? 0
            let slice = try await client.history(
                of: id, at: .after(.seq(seq)), limit: Limits.pageItems, withChanges: true)
            for message in slice.messages {
                if let place = message.place, place.seq > seq { show(message, place) }
            }
            guard (marks[id]?.seq ?? 0) > seq, !slice.reachedEnd else { return }
        }
    }

    private mutating func show(_ message: ChatMessage, _ place: ChatMessage.Place) {
        print(message)
        var mark = marks[message.conversation] ?? Mark()
        mark.epoch = place.epoch
        mark.seq = max(mark.seq, place.seq)
        if !message.isUnreadable {
            mark.unopened.remove(message.id)
        } else if mark.unopened.count < ConversationFollower.mostUnopened {
            mark.unopened.insert(message.id)
        }
        marks[message.conversation] = mark
    }
}

extension ChatMessage {
    /// Whether it stands there unopened.
    var isUnreadable: Bool {
        switch content {
        case .unreadable: true
        case .opened, .system, .removed: false
        }
    }
}
