import ParleyProtocol

extension FCMService {
    /// Reads an answer: a `google.rpc.Status` with an `FcmError` in its details.
    static func read(_ reply: PushReply, now: Timestamp) -> ServiceAnswer {
        if reply.isSuccess { return ServiceAnswer(.accepted(status: reply.status), .works) }
        let code = code(reply.body)
        let problem = PushProblem(status: reply.status, code ?? "HTTP \(reply.status)")
        let after = RetryAfter.parse(reply.retryAfter, now: now)
        let later = PushAnswer.later(problem, after: after)
        switch (reply.status, code) {
        case (404, "UNREGISTERED"), (403, "SENDER_ID_MISMATCH"):
            return ServiceAnswer(.ended(status: reply.status, since: nil), .works)
        case (401, _): return ServiceAnswer(later, .fails, needsToken: true)
        // The account lacks a right: every notification fails until somebody grants it.
        case (403, _): return ServiceAnswer(later, .fails)
        // Too many for one device or for the project; a pause is named for the project alone.
        case (429, _), (_, "QUOTA_EXCEEDED"):
            return ServiceAnswer(later, after.map { .throttled(for: $0) } ?? .works)
        case (500...599, _), (_, "UNAVAILABLE"), (_, "INTERNAL"):
            return ServiceAnswer(later, after.map { .throttled(for: $0) } ?? .fails)
        case (408, _): return ServiceAnswer(later, .works)
        default: return ServiceAnswer(.refused(problem), .works)
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
