import ParleyDeviceStore
import ParleyProtocol

/// Why a call of ``MessagingClient`` failed.
public enum ClientError: Error, Sendable, CustomStringConvertible {
    case refused(Rejection)
    /// No reply came. Whether the request was carried out is unknown; a repeat does nothing twice.
    case unanswered(NoReplyError)
    /// The reply is not one of this operation.
    case malformedReply
    /// The gateway said what an honest gateway never says.
    case gatewayFault(GatewayFaultError)
    case storage(DeviceStoreError)
    /// The device's own keys, or its file of other users' keys, could not be read or written.
    case keys(any Error)
    /// The person's acceptance of keys was refused.
    case notAccepted(KeyAcceptanceError)
    /// An operation on the user's account key failed.
    case account(AccountError)
    case noKeys(UserID)
    /// The file holds no address of a gateway on this machine.
    case noGateway(path: String)
    /// The content is too large, or invalid for its type.
    case content(ContentError)
    /// A file could not be sent or fetched.
    case file(FileTransferError)
    /// The send queue is full.
    case queueFull
    /// The device has no such message; with a conversation, none in that one.
    case unknownMessage(MessageID, in: ConversationID? = nil)
    /// Only the sender can edit or delete a message.
    case notOwn(MessageID)
    case unknownConversation(ConversationID)
    /// The message could not be sent.
    case failed(SendError)
    /// The message was discarded before it was sent.
    case discarded
    /// The timeout has passed. `cause` is why there is no connection, if there is none.
    case timedOut(cause: ConnectionError?)
    /// The connection has ended for good.
    case ended(ConnectionError)
    /// The calling task was cancelled, or the client has ended.
    case cancelled

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
        case .file(let error): error.description
        case .queueFull: "too many messages wait to be sent"
        case .unknownMessage(let id, let conversation?):
            "there is no message \(id) in conversation \(conversation) here"
        case .unknownMessage(let id, nil): "there is no message \(id) on this device"
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
