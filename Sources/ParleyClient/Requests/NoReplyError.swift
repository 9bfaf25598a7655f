/// Why a request has no reply. Whether it was carried out is unknown; a repeat does nothing twice.
public enum NoReplyError: Error, Sendable, CustomStringConvertible {
    /// No reply in time. `cause` is why there is no connection, if there is none.
    case timedOut(cause: ConnectionError?)
    /// The connection has ended for good.
    case ended(ConnectionError)
    /// The reply is malformed.
    case malformedReply
    /// Too many requests are waiting. This one was not sent.
    case tooManyWaiting
    /// The calling task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .timedOut(let cause?): "no reply in time: \(cause)"
        case .timedOut(nil): "no reply in time"
        case .ended(let cause): cause.description
        case .malformedReply: "the gateway's reply is not one of protocol version 1"
        case .tooManyWaiting: "too many requests are waiting for their replies"
        case .cancelled: "cancelled"
        }
    }
}
