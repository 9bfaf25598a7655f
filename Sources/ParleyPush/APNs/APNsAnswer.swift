import ParleyProtocol

extension APNsService {
    /// Reads an answer as in "Handling notification responses from APNs".
    static func read(_ reply: PushReply, now: Timestamp) -> ServiceAnswer {
        let object = try? JSONObject(parsing: reply.body)
        let reason = Reason.text(try? object?.text("reason", maximum: 64))
        let problem = PushProblem(status: reply.status, reason ?? "HTTP \(reply.status)")
        let after = RetryAfter.parse(reply.retryAfter, now: now)
        let later = PushAnswer.later(problem, after: after)
        switch (reply.status, reason) {
        case (200...299, _): return ServiceAnswer(.accepted(status: reply.status), .works)
        case (410, _):
            let since = try? object?.integer("timestamp", in: 1...253_402_300_799_999)
            return ServiceAnswer(
                .ended(status: 410, since: since.map { Timestamp(milliseconds: Int64($0)) }), .works)
        case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"):
            return ServiceAnswer(.ended(status: 400, since: nil), .works)
        case (403, "ExpiredProviderToken"), (403, "InvalidProviderToken"):
            return ServiceAnswer(later, .fails, needsToken: true)
        case (403, "MissingProviderToken"), (429, "TooManyProviderTokenUpdates"): return ServiceAnswer(later, .fails)
        // Too many for one device; others are not concerned.
        case (429, _), (400, "IdleTimeout"), (408, _): return ServiceAnswer(later, .works)
        case (500...599, _): return ServiceAnswer(later, after.map { .throttled(for: $0) } ?? .fails)
        default: return ServiceAnswer(.refused(problem), .works)
        }
    }
}

/// The name of an error in a service's answer.
enum Reason {
    /// `nil` for anything but 1 to 64 letters, digits and `_`: garbage is not passed on.
    static func text(_ name: String??) -> String? {
        guard let name = name ?? nil, (1...64).contains(name.utf8.count) else { return nil }
        return name.consists(ofLettersDigitsAnd: "_") ? name : nil
    }
}
