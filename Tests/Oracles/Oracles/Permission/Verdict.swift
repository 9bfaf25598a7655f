/// What somebody may do toward somebody else, and why.
package enum Verdict: Hashable, Sendable, CustomStringConvertible {
    case allowed(Ground)
    /// One message, which waits to be accepted.
    case request
    case refused(Refusal)

    package enum Ground: Hashable, Sendable, CaseIterable { case anyone, mutualFollow, acceptedRequest }

    package enum Refusal: Hashable, Sendable, CaseIterable { case oneself, unknownUser, blockedByCaller, requestLimit }

    /// Whether it is a permission without limit.
    package var isAllowed: Bool {
        switch self {
        case .allowed: true
        case .request, .refused: false
        }
    }

    /// Whether a message goes through, if only as a request.
    package var lets: Bool {
        switch self {
        case .allowed, .request: true
        case .refused: false
        }
    }

    package var description: String {
        switch self {
        case .allowed(.anyone): "anyone"
        case .allowed(.mutualFollow): "mutual follow"
        case .allowed(.acceptedRequest): "accepted request"
        case .request: "request"
        case .refused(.oneself): "oneself"
        case .refused(.unknownUser): "unknown user"
        case .refused(.blockedByCaller): "blocked by the caller"
        case .refused(.requestLimit): "request limit"
        }
    }

    package static let all: [Verdict] =
        Ground.allCases.map(Verdict.allowed) + [.request] + Refusal.allCases.map(Verdict.refused)
}

/// How an attempt ended.
package enum Answer: Hashable, Sendable {
    case ok
    /// A message that was taken, and as what.
    case sent(Verdict)
    case badRequest, notFound, blocked, requestLimit
}
