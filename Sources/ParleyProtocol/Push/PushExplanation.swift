/// `admin/explain-push`: why a user was or was not notified of a message.
public struct ExplainPush: Query {
    public static let operation = Operation(validatedArea: "admin", verb: "explain-push")
    package static let askers = Askers.operators
    public typealias Reply = PushExplanation

    public let message: MessageID
    public let user: UserID

    public init(message: MessageID, user: UserID) { (self.message, self.user) = (message, user) }

    package init<Pass: FieldPass<ExplainPush>>(fields pass: inout Pass) throws(Pass.Failure) {
        message = try pass.required("message_id", \.message)
        user = try pass.required("user_id", \.user)
    }
}

/// The `data` of a reply to `admin/explain-push`. It discloses blocks.
public struct PushExplanation: GatewayObject {
    public let message: MessageID
    public let user: UserID
    /// The decision of that time; its `decision` is `none` if nothing was recorded.
    public let verdict: PushVerdict
    public let decidedAt: Timestamp?
    /// The pushes, and their results.
    public let pushes: [TracedPush]
    /// The decision that the present facts would lead to.
    public let now: PushVerdict
    /// The present facts, in the order of the rules.
    public let facts: [PushFact]

    public init(
        message: MessageID, user: UserID, verdict: PushVerdict, decidedAt: Timestamp?, pushes: [TracedPush],
        now: PushVerdict, facts: [PushFact]
    ) {
        self.message = message
        self.user = user
        self.verdict = verdict
        self.decidedAt = decidedAt
        self.pushes = pushes
        self.now = now
        self.facts = facts
    }

    package init<Pass: FieldPass<PushExplanation>>(fields pass: inout Pass) throws(Pass.Failure) {
        message = try pass.required("message_id", \.message)
        user = try pass.required("user_id", \.user)
        verdict = try pass.part(\.verdict)
        decidedAt = try pass.optional("decided_at", \.decidedAt)
        pushes = try pass.required("pushes", \.pushes, as: .objects())
        now = try pass.required("now", \.now, as: .object())
        facts = try pass.required("facts", \.facts, as: .objects())
    }
}

/// The decision of the rules at some time.
public struct PushVerdict: GatewayObject {
    /// `notify`, `hold` or `skip`.
    public let decision: String
    /// The reason for `skip`, as in the table of `docs/push.md`.
    public let reason: String?
    /// A sentence for people.
    public let says: String

    public init(decision: String, reason: String?, says: String) {
        (self.decision, self.reason, self.says) = (decision, reason, says)
    }

    package init<Pass: FieldPass<PushVerdict>>(fields pass: inout Pass) throws(Pass.Failure) {
        decision = try pass.required("decision", \.decision, as: .text(64))
        reason = try pass.optional("reason", \.reason, as: .text(64))
        says = try pass.required("says", \.says, as: .text(1024))
    }
}

/// A fact that the rules consider before a notification.
public struct PushFact: GatewayObject {
    /// A reason of the table, or `quiet_hours`.
    public let fact: String
    /// Whether it prevents the notification.
    public let holds: Bool
    /// The evidence, for people.
    public let detail: String

    public init(fact: String, holds: Bool, detail: String) {
        (self.fact, self.holds, self.detail) = (fact, holds, detail)
    }

    package init<Pass: FieldPass<PushFact>>(fields pass: inout Pass) throws(Pass.Failure) {
        fact = try pass.required("fact", \.fact, as: .text(64))
        holds = try pass.required("holds", \.holds)
        detail = try pass.required("detail", \.detail, as: .text(1024))
    }
}
