import ParleyProtocol
import ParleyRules
import ParleyStore

/// Why a user was or was not notified of a message (`admin/explain-push`). It shows blocks: operators alone may ask.
extension ExplainPush: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let snapshot = context.snapshot
        guard try snapshot.users.hasMember(user) else { throw Rejection.userNotFound }
        let record = try snapshot.tracedRecords.record(message)
        let traces = try context.reader.pushes.read(beside: context.snapshot) { pushes in
            try pushes.traces.traces(of: message, user: user, limit: MessageTrace.most)
        }
        guard record != nil || !traces.isEmpty else {
            throw Rejection(.notFound, "There is no such message, and nothing of it is remembered.")
        }
        let facts = try facts(record, in: context)
        let story = try story(traces, record, facts, in: context)
        let explanation = PushExplanation(
            message: message, user: user, verdict: story.verdict, decidedAt: story.decidedAt,
            pushes: traces.map(TracedPush.init), now: PushVerdict(PushRules.decide(facts)), facts: PushFact.all(facts))
        return explanation.write
    }

    /// The facts of now.
    private func facts(_ record: TracedRecord?, in context: QueryContext) throws -> PushRules.Facts {
        let ordinary = PushRules.Kind.message(isUrgent: false)
        guard let record, let found = try context.snapshot.pushEvents.message(at: record.position) else {
            return PushRules.Facts(ordinary, isGone: true)
        }
        guard found.record.kind == .known(.message), found.record.type != .known(.system) else {
            throw Rejection(
                .badRequest,
                "message_id: of a change, or of what the gateway tells itself: of these nobody is "
                    + "notified")
        }
        guard record.sender != user else { return PushRules.Facts(ordinary, isOwn: true) }
        let recipients = try context.snapshot.pushEvents.recipients(
            in: record.key, besides: record.sender, only: user)
        guard let recipient = recipients.first else {
            return PushRules.Facts(ordinary, isMember: false)
        }
        return PushRules.Facts(
            found, for: recipient, isUrgent: false, isConnected: context.reader.people.contains(user),
            notifiesConnected: context.reader.settings.pushAlways,
            quietUntil: recipient.quietHours?.end(ifQuietAt: context.now, in: recipient.timeZone), now: context.now)
    }

    /// The decision of then.
    private func story(
        _ traces: [PushTrace], _ record: TracedRecord?, _ facts: PushRules.Facts, in context: QueryContext
    ) throws -> (verdict: PushVerdict, decidedAt: Timestamp?) {
        // The decision about the user comes before those about their devices.
        if let trace = traces.first(where: { $0.device == nil }) ?? traces.first {
            let isRegistered = try context.snapshot.pushRegistrations.registrations(of: [user])[user] != nil
            return (trace.verdict(isRegistered: isRegistered), trace.decidedAt)
        }
        let says: String
        if facts.isOwn {
            says = "They have sent it themselves."
        } else if facts.isWithheld {
            says = PushRules.Reason.withheld.sentence
        } else if let record, try context.snapshot.pushEvents.isUndecided(record.position) {
            says = "It is yet to be decided."
        } else if !facts.isMember {
            says = "They were not in the conversation, or have left it since and nothing is remembered."
        } else if let record, record.createdAt.advanced(by: context.reader.settings.pushTraceLifetime) <= context.now {
            says = "It is so long ago that nothing is remembered: see push_trace_days."
        } else {
            says = "A device of theirs was connected when it came: nothing is written of that."
        }
        return (PushVerdict(decision: "none", reason: nil, says: says), nil)
    }
}

extension PushTrace {
    fileprivate func verdict(isRegistered: Bool) -> PushVerdict {
        if let reason = PushRules.Reason(rawValue: decision) {
            return PushVerdict(
                decision: "skip", reason: reason.rawValue, says: "They were not notified. \(reason.sentence)")
        }
        guard decision == "notify" else {
            return PushVerdict(
                decision: decision, reason: nil,
                says: "It was held back, since they were in their quiet hours: one digest tells of all of it.")
        }
        return PushVerdict(
            decision: decision, reason: nil,
            says: isRegistered
                ? "They were notified."
                : "They were notified on their topic. No device of theirs is registered with a push service.")
    }
}

extension PushVerdict {
    fileprivate init(_ decision: PushRules.Decision) {
        switch decision {
        case .notify, .hold: self.init(decision: decision.name, reason: nil, says: decision.sentence)
        case .skip(let reason): self.init(decision: "skip", reason: reason.rawValue, says: reason.sentence)
        }
    }
}

extension PushFact {
    /// All facts, in the order of the rules.
    fileprivate static func all(_ facts: PushRules.Facts) -> [PushFact] {
        let reasons = PushRules.Reason.allCases.map { reason in
            PushFact(fact: reason.rawValue, holds: reason.holds(facts), detail: facts.detail(of: reason))
        }
        return reasons + [
            PushFact(fact: "quiet_hours", holds: facts.quietUntil != nil, detail: facts.quietHoursDetail)
        ]
    }
}
