import ParleyClient
import ParleyCrypto
import ParleyProtocol

/// Prints the records of conversations in their order, each once, from a mark on; gaps between events are filled from
/// history.
struct ConversationFollower: Sendable {
    let client: MessagingClient
    /// `nil` for all.
    let only: ConversationID?
    let print: @Sendable (ChatMessage) -> Void
    /// Prints one line for a run of messages from before this device was linked; `nil` prints them like others.
    let printEarlier: (@Sendable (EarlierMessages, ConversationID) -> Void)?
    /// Runs that are not printed yet, as they may go on.
    private var earlier: [ConversationID: EarlierMessages] = [:]
    private var marks: [ConversationID: Mark] = [:]

    /// The last printed record of a conversation.
    fileprivate struct Mark {
        /// `nil` before anything was.
        var position: ChatMessage.Position?
        /// The point after which history is fetched.
        var point = RecordPoint.seq(0)
        /// Printed, but not opened yet.
        var unopened: Set<MessageID> = []
    }

    /// The most unopened messages that are remembered of a conversation.
    private static let mostUnopened = 1000

    init(
        client: MessagingClient, only: ConversationID?, print: @escaping @Sendable (ChatMessage) -> Void,
        printEarlier: (@Sendable (EarlierMessages, ConversationID) -> Void)? = nil
    ) {
        self.client = client
        self.only = only
        self.print = print
        self.printEarlier = printEarlier
    }

    /// Sets the marks to the end of each conversation.
    ///
    /// - Parameter history: how many earlier records are still to print.
    mutating func begin(history: Int) async throws {
        for conversation in await client.conversations.all() where only == nil || only == conversation.id {
            marks[conversation.id] = try await last(in: conversation.id, before: history).map(Mark.init) ?? Mark()
        }
    }

    /// The record that is before the newest `count`; `nil` if there are no more than these.
    private func last(in id: ConversationID, before count: Int) async throws -> ChatMessage? {
        var position = HistoryPosition.newest
        var left = count
        while true {
            let slice = try await client.history(
                of: id, at: position, limit: min(left + 1, Limits.pageItems), withChanges: true)
            let records = slice.messages.filter { $0.position != nil }
            if records.count > left { return records[records.count - left - 1] }
            left -= records.count
            guard let first = records.first, let oldest = first.position, !slice.reachedStart else { return nil }
            position = .before(first.point(at: oldest))
        }
    }

    /// Prints the records after the marks.
    mutating func printHistory() async throws {
        for id in marks.keys.sorted() { try await catchUp(id) }
    }

    mutating func handle(_ event: ClientEvent) async throws {
        switch event {
        case .messageAdded(let message), .messageChanged(let message), .change(let message): try await handle(message)
        case .missed: try await printHistory()
        case .historyReset(let id):
            guard only == nil || only == id else { break }
            marks[id] = try await last(in: id, before: 0).map(Mark.init) ?? Mark()
        case .connected, .waiting, .ended, .gateway, .status, .messageRemoved, .receipt, .typing, .conversationAdded,
            .conversationChanged, .conversationRemoved, .messageRequest, .dayReported, .workoutReported,
            .requestRefused, .presence, .keys, .leftOut, .push, .failed, .storageFailed, .gatewayFault,
            .membersChanged, .resendRequested, .resent, .tokenNotRenewed, .upload:
            break
        }
    }

    private mutating func handle(_ message: ChatMessage) async throws {
        guard let position = message.position, only == nil || only == message.conversation else { return }
        let mark = marks[message.conversation] ?? Mark()
        if mark.isNext(position) {
            await show(message, position)
            finishEarlier(in: message.conversation)
        } else if !mark.covers(position) {
            try await catchUp(message.conversation)
        } else if mark.unopened.contains(message.id), !message.isUnreadable {
            await show(message, position)
        }
    }

    /// Prints from the mark on to the newest.
    private mutating func catchUp(_ id: ConversationID) async throws {
        defer { finishEarlier(in: id) }
        while true {
            let mark = marks[id] ?? Mark()
            let slice = try await client.history(
                of: id, at: .after(mark.point), limit: Limits.pageItems, withChanges: true)
            for message in slice.messages {
                if let position = message.position, !mark.covers(position) { await show(message, position) }
            }
            guard marks[id]?.position != mark.position, !slice.reachedEnd else { return }
        }
    }

    private mutating func show(_ message: ChatMessage, _ position: ChatMessage.Position) async {
        if message.isResending {
            // The resent message itself is printed.
        } else if printEarlier != nil, await client.precedesThisDevice(message) {
            earlier[message.conversation, default: EarlierMessages()].add(message)
        } else {
            finishEarlier(in: message.conversation)
            print(message)
        }
        var mark = marks[message.conversation] ?? Mark()
        if !mark.covers(position) {
            mark.position = position
            mark.point = message.point(at: position)
        }
        if !message.isUnreadable {
            mark.unopened.remove(message.id)
        } else if mark.unopened.count < ConversationFollower.mostUnopened {
            mark.unopened.insert(message.id)
        }
        marks[message.conversation] = mark
    }

    private mutating func finishEarlier(in id: ConversationID) {
        if let run = earlier.removeValue(forKey: id) { printEarlier?(run, id) }
    }
}

extension ConversationFollower.Mark {
    /// Printed up to this message.
    fileprivate init(_ message: ChatMessage) {
        position = message.position
        point = message.position.map(message.point) ?? .seq(0)
    }

    fileprivate func covers(_ position: ChatMessage.Position) -> Bool { self.position.map { position <= $0 } ?? false }

    fileprivate func isNext(_ position: ChatMessage.Position) -> Bool {
        position.seq == (self.position?.seq ?? 0) + 1 && position.chapter == (self.position?.chapter ?? 0)
    }
}

extension ChatMessage {
    /// The point after which history is fetched: a replayed copy has the id of another message.
    fileprivate func point(at position: Position) -> RecordPoint {
        if case .unreadable(.replayed) = content { .seq(position.seq) } else { .id(id) }
    }

    /// Whether it is there unopened.
    var isUnreadable: Bool {
        switch content {
        case .unreadable: true
        case .opened, .system, .removed: false
        }
    }
}
