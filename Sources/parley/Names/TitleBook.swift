import ParleyClient
import ParleyProtocol
import Synchronization

/// What the conversations are called, as events change it.
final class TitleBook: Sendable {
    private let user: UserID
    private let known = Mutex((titles: Titles(), groups: Set<ConversationID>()))

    init(_ user: UserID) { self.user = user }

    var titles: Titles { known.withLock(\.titles) }

    func add(_ summary: ConversationSummary) {
        known.withLock { known in
            known.titles.conversations[summary.id] = summary.title(for: user)
            if summary.type != .known(.direct) { known.groups.insert(summary.id) }
        }
    }

    func add(_ event: ClientEvent) {
        switch event {
        case .conversationAdded(let summary), .conversationChanged(let summary): add(summary)
        case .gateway, .connected, .waiting, .ended, .messageAdded, .messageChanged, .change, .messageRemoved, .status,
            .receipt, .typing,
            .membersChanged, .gatewayFault, .conversationRemoved, .messageRequest, .dayReported, .workoutReported,
            .requestRefused, .presence, .push, .keys, .leftOut, .resendRequested, .resent, .tokenNotRenewed, .upload,
            .failed, .historyReset, .storageFailed, .missed:
            break
        }
    }

    /// For a line with its sender: the group's name, or the beginning of a direct conversation's id.
    func place(of id: ConversationID) -> String { known.withLock { $0.groups.contains(id) ? $0.titles[id] : id.short } }
}
