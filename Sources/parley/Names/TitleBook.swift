import ParleyClient
import ParleyProtocol
import Synchronization

/// What conversations and groups are called, as events change it.
final class TitleBook: Sendable {
    private let user: UserID
    private let known = Mutex(Titles())

    init(_ user: UserID) { self.user = user }

    /// With the conversations that the client has now.
    convenience init(of client: MessagingClient) async {
        self.init(client.device.user)
        for summary in await client.conversations.all() { add(summary) }
    }

    var titles: Titles { known.withLock(\.self) }

    func add(_ summary: ConversationSummary) {
        known.withLock { $0.conversations[summary.id] = summary.title(for: user) }
    }

    func add(_ group: TrainingGroup) { known.withLock { $0.groups[group.id] = group.name } }

    func add(_ event: ClientEvent) {
        switch event {
        case .conversationAdded(let summary), .conversationChanged(let summary): add(summary)
        case .gateway(let event as GroupJoined): add(event.group)
        case .gateway(let event as GroupUpdated): add(event.group)
        case .gateway, .connected, .waiting, .ended, .messageAdded, .messageChanged, .change, .messageRemoved, .status,
            .receipt, .typing,
            .membersChanged, .gatewayFault, .conversationRemoved, .messageRequest, .dayReported, .workoutReported,
            .requestRefused, .presence, .push, .keys, .leftOut, .resendRequested, .resent, .tokenNotRenewed, .upload,
            .failed, .historyReset, .storageFailed, .missed:
            break
        }
    }

    /// For a line with its sender: the group's name, or the other of a direct conversation; the beginning of the id of
    /// one that is not known.
    func place(of id: ConversationID) -> String { known.withLock { $0.conversations[id] ?? id.short } }
}
