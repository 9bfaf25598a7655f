import ParleyProtocol

extension ErrorCode {
    /// The status of an HTTP response with this error (RFC 9110 §15; 429 is of RFC 6585 §4).
    package var httpStatus: Int {
        switch self {
        case .badRequest: 400
        case .unauthenticated: 401
        case .forbidden, .blocked, .requestLimit: 403
        case .notFound, .inviteInvalid: 404
        case .conflict, .groupFull, .alreadyInGroup, .weekClosed, .staleDevices: 409
        case .tooLarge: 413
        case .rateLimited: 429
        case .internal: 500
        case .unavailable: 503
        }
    }

    /// Whether the response has `Retry-After` (RFC 9110 §10.2.3).
    var namesRetry: Bool {
        switch self {
        case .rateLimited, .unavailable: true
        case .badRequest, .unauthenticated, .forbidden, .notFound, .conflict, .tooLarge, .blocked, .requestLimit,
            .groupFull, .alreadyInGroup, .inviteInvalid, .weekClosed, .staleDevices, .internal:
            false
        }
    }

    /// In whole seconds, at least one; `nil` for an error that a repeat would meet again.
    func retryAfterSeconds(milliseconds: Int?) -> Int? {
        guard namesRetry else { return nil }
        let wait = max(0, milliseconds ?? 0)
        return max(1, wait / 1000 + (wait % 1000 == 0 ? 0 : 1))
    }
}
