import ParleyDeviceStore
import ParleyProtocol

/// Why a call of ``MessagingClient`` was not carried out.
public enum ClientError: Error, Sendable {
    /// The gateway refused it.
    case refused(Rejection)
    /// There is no reply. Whether it was carried out is not known; trying again does nothing twice.
    case unanswered(NoReplyError)
    /// The reply is not what the operation gives.
    case malformedReply
    /// The reply says what cannot be so.
    case gatewayFault(GatewayFaultError)
    /// The device's database failed.
    case storage(DeviceStoreError)
    /// The device's keys, or what is known of others', could not be read or kept.
    case keys(any Error)
    /// Keys were not accepted, and why.
    case notAccepted(KeyAcceptanceError)
    /// Something about the user's account key.
    case account(AccountError)
    /// The user has published no keys.
    case noKeys(UserID)
    /// The file says no address of a gateway on this machine.
    case noGateway(path: String)
    /// The content cannot be sent: it is too large, or not what its type holds.
    case content(ContentError)
    /// As many messages wait to be sent as may.
    case queueFull
    /// There is no such message here.
    case unknownMessage(MessageID)
    /// Somebody else wrote it: it is not the user's to edit or delete.
    case notOwn(MessageID)
    /// There is no such conversation here.
    case unknownConversation(ConversationID)
    /// The message has failed.
    case failed(SendError)
    /// The message was discarded before it was sent.
    case discarded
    /// What was waited for did not come in time. `cause` is why there is no connection, if there is none.
    case timedOut(cause: ConnectionError?)
    /// The connection has ended for good.
    case ended(ConnectionError)
    /// The calling task was cancelled, or the client has ended.
    case cancelled
}

extension ClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let rejection): "\(rejection.code.rawValue): \(rejection.message)"
        case .unanswered(let failure): failure.description
        case .malformedReply: NoReplyError.malformedReply.description
        case .gatewayFault(let fault): fault.description
        case .storage(let error): "the device's database: \(error)"
        case .keys(let error): "\(error)"
        case .notAccepted(let error): error.description
        case .account(let error): error.description
        case .noKeys(let user): "\(user) has published no keys"
        case .noGateway(let path): "\(path) does not say where a gateway listens"
        case .content(let error): error.description
        case .queueFull: "too many messages wait to be sent"
        case .unknownMessage: "there is no such message on this device"
        case .notOwn: "only its sender edits or deletes a message"
        case .unknownConversation: "there is no such conversation on this device"
        case .failed(let reason): reason.description
        case .discarded: "the message was discarded"
        case .timedOut(let cause?): "not in time: \(cause)"
        case .timedOut(nil): "not in time"
        case .ended(let cause): cause.description
        case .cancelled: "cancelled"
        }
    }
}
