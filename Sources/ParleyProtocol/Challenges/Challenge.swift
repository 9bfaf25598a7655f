/// The challenge object of protocol §5, and the `data` of `challenge.updated`, where `user_id` may come before it.
public struct Challenge: AddressedEvent, GatewayObject {
    package static let names = ["challenge.updated"]
    package var topic: Topic { .conversation(conversation, .challenges) }

    public let id: ChallengeID
    public let conversation: ConversationID
    public let challenger: UserID
    public let challenged: UserID
    public let type: Named<ChallengeType>
    /// The goal of both. It decides nothing: the higher count at the end wins.
    public let target: Int
    public let durationDays: Int
    public let status: Named<ChallengeStatus>
    /// The counts of both, each over their own days.
    public let progress: [UserID: Int]
    public let winner: UserID?
    public let outcome: Named<ChallengeOutcome>?
    public let createdAt: Timestamp
    public let acceptedAt: Timestamp?
    /// The end of the last day of both.
    public let endsAt: Timestamp?

    public init(
        id: ChallengeID, conversation: ConversationID, challenger: UserID, challenged: UserID,
        type: Named<ChallengeType>, target: Int, durationDays: Int, status: Named<ChallengeStatus>,
        progress: [UserID: Int], winner: UserID?, outcome: Named<ChallengeOutcome>?, createdAt: Timestamp,
        acceptedAt: Timestamp?, endsAt: Timestamp?
    ) {
        self.id = id
        self.conversation = conversation
        self.challenger = challenger
        self.challenged = challenged
        self.type = type
        self.target = target
        self.durationDays = durationDays
        self.status = status
        self.progress = progress
        self.winner = winner
        self.outcome = outcome
        self.createdAt = createdAt
        self.acceptedAt = acceptedAt
        self.endsAt = endsAt
    }

    /// Writes the event of a user's action, which they hear even where the other is silent to them. Events of time and
    /// of progress name nobody.
    package func writeEvent(by user: UserID, to writer: inout JSONWriter) {
        writer.event(name) { writer in
            writer.object { object in
                object.member("user_id", user)
                writeMembers(to: &object)
            }
        }
    }

    package init<Pass: FieldPass<Challenge>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        conversation = try pass.required("conversation_id", \.conversation)
        challenger = try pass.required("challenger_id", \.challenger)
        challenged = try pass.required("challenged_id", \.challenged)
        type = try pass.required("type", \.type)
        target = try pass.required("target", \.target)
        durationDays = try pass.required("duration_days", \.durationDays)
        status = try pass.required("status", \.status)
        progress = try pass.required("progress", \.progress, as: .byUser(OwnForm()))
        winner = try pass.optional("winner_id", \.winner)
        outcome = try pass.optional("outcome", \.outcome)
        createdAt = try pass.required("created_at", \.createdAt)
        acceptedAt = try pass.optional("accepted_at", \.acceptedAt)
        endsAt = try pass.optional("ends_at", \.endsAt)
    }
}
