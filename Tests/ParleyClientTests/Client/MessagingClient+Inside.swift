import ParleyProtocol

@testable import ParleyClient

extension MessagingClient {
    /// What the client knows of a conversation beside its messages.
    func followed(_ id: ConversationID) -> FollowedConversation? { context.logs[id] }

    /// What it has found at its start that cannot be so, once.
    func removeLoadedFaults() -> [GatewayFaultError] { context.logs.removeLoadedFaults() }
}
