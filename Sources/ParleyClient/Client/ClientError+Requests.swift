import ParleyProtocol

extension ClientError {
    init(_ error: RequestError) {
        self =
            switch error {
            case .refused(let rejection): .refused(rejection)
            case .unanswered(.cancelled): .cancelled
            case .unanswered(.ended(let cause)): .ended(cause)
            case .unanswered(let failure): .unanswered(failure)
            case .unreadable: .malformedReply
            }
    }

    var isLackOfAccess: Bool {
        if case .refused(let rejection) = self {
            rejection.code == .notFound || rejection.code == .forbidden
        } else {
            false
        }
    }
}

/// Runs `body`, and reports a failure as ``ClientError/keys(_:)``.
func withKeys<Value>(_ body: () throws -> Value) throws(ClientError) -> Value {
    do { return try body() } catch { throw .keys(error) }
}

extension ErrorCode {
    /// Whether the same request may be accepted later.
    var isPassing: Bool {
        switch self {
        case .rateLimited, .unavailable, .internal, .unauthenticated: true
        case .badRequest, .forbidden, .notFound, .conflict, .tooLarge, .blocked, .requestLimit, .groupFull,
            .alreadyInGroup, .inviteInvalid, .weekClosed, .staleDevices:
            false
        }
    }
}
