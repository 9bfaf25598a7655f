import ParleyProtocol

/// What Google's push service has answered (`google.rpc.Status` with an `FcmError` in its details).
enum FCMAnswer: Hashable, Sendable {
    case done(ServiceAnswer)
    /// The access token is not believed: a new one may be.
    case needsToken(ServiceAnswer)

    init(_ reply: PushReply, now: Timestamp) {
        if reply.isSuccess {
            self = .done(ServiceAnswer(.accepted(status: reply.status), .works))
            return
        }
        let code = FCMAnswer.code(reply.body)
        let problem = PushProblem(status: reply.status, code ?? "HTTP \(reply.status)")
        let after = RetryAfter.parse(reply.retryAfter, now: now)
        let later = PushAnswer.later(problem, after: after)
        switch (reply.status, code) {
        case (404, "UNREGISTERED"), (403, "SENDER_ID_MISMATCH"):
            self = .done(ServiceAnswer(.ended(status: reply.status, since: nil), .works))
        case (401, _): self = .needsToken(ServiceAnswer(later, .fails))
        // The account may not: all others fail alike, until somebody gives it the right.
        case (403, _): self = .done(ServiceAnswer(later, .fails))
        // One device has had too many, or the project; only of the project is it said for how long.
        case (429, _), (_, "QUOTA_EXCEEDED"):
            self = .done(ServiceAnswer(later, after.map { .throttled(for: $0) } ?? .works))
        case (500...599, _), (_, "UNAVAILABLE"), (_, "INTERNAL"):
            self = .done(ServiceAnswer(later, after.map { .throttled(for: $0) } ?? .fails))
        case (408, _): self = .done(ServiceAnswer(later, .works))
        default: self = .done(ServiceAnswer(.refused(problem), .works))
        }
    }

    /// `errorCode` of the details, or else `status`.
    private static func code(_ body: [UInt8]) -> String? {
        guard let object = try? JSONObject(parsing: body), let error = try? object.object("error") else { return nil }
        for detail in (try? error.objects("details", maximum: 16)) ?? [] {
            if let code = Reason.text(try? detail.text("errorCode", maximum: 64)) { return code }
        }
        return Reason.text(try? error.text("status", maximum: 64))
    }
}
