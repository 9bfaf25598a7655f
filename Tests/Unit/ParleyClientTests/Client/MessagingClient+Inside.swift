import ParleyDeviceStore
import ParleyProtocol

@testable import ParleyClient

extension MessagingClient {
    /// What the client knows of a conversation beside its messages.
    func followed(_ id: ConversationID) -> FollowedConversation? { context.logs[id] }

    /// The first of what waits to be told to the gateway.
    var firstKeptRequest: UUIDValue? { try? context.disk.read { try $0.request(after: .min) }?.id }

    var keptRequestCount: Int? { try? context.disk.read { try $0.requestCount() } }

    /// What has failed is told again at once.
    func endRequestPause() {
        context.requestPacing.markConnected()
        context.wakeUps.requests.signal()
    }

    /// Keeps requests that only a later version knows.
    func keepUnreadableRequests(_ count: UInt64) throws {
        try context.disk.write { transaction in
            for number in 0..<count {
                try transaction.keepRequest(UUIDValue(high: 9, low: number), Array("later/request\n{}".utf8))
            }
        }
    }

    /// What it has found at its start that cannot be so, once.
    func removeLoadedFaults() -> [GatewayFaultError] { context.logs.removeLoadedFaults() }
}
