import ParleyProtocol

/// The cause of a session's end, or of a refusal to start one.
enum SessionEnd: Error, Hashable, Sendable {
    /// The broker refuses the token: it has expired, or was revoked or replaced.
    case unauthenticated
    /// Another connection with the same client id has taken over: a newer token of the same device, or another door of
    /// the same name.
    case takenOver
    /// The broker or the gateway does not answer, or the door is shutting down.
    case unavailable
    /// The device has too many requests under way, or the door too many devices.
    case busy
    /// The device may not send this request; other requests go on.
    case forbidden

    var rejection: Rejection {
        switch self {
        case .unauthenticated: Rejection(.unauthenticated, "The access token is not valid, or not any more.")
        case .takenOver, .unavailable: .unavailable
        case .busy: Rejection(.rateLimited, "Too many requests at once.", retryAfterMilliseconds: 1000)
        case .forbidden: Rejection(.forbidden, "This device may not ask for that.")
        }
    }
}
