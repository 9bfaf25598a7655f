// The reports about notifications for operators: times, ids and answers, and no content.

/// `admin/trace`: the course of a message, or of one notification.
public struct TraceMessage: Query {
    public static let operation = Operation(validatedArea: "admin", verb: "trace")
    package static let askers = Askers.operators
    public typealias Reply = MessageTrace

    /// Of a message, or of a notification.
    public let id: UUIDValue

    public init(id: UUIDValue) { self.id = id }

    package init<Pass: FieldPass<TraceMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", { MessageID($0.id) }).value
    }
}

/// The `data` of a reply to `admin/trace`.
public struct MessageTrace: GatewayObject {
    /// The most members, and the most notifications, of a trace.
    public static let most = 500

    /// `nil` for a notification without a message, and for a message that is removed.
    public let message: TracedMessage?
    /// The recipients, in the order of their ids.
    public let members: [TracedMember]
    /// By user.
    public let pushes: [TracedPush]

    public init(message: TracedMessage?, members: [TracedMember], pushes: [TracedPush]) {
        (self.message, self.members, self.pushes) = (message, members, pushes)
    }

    package init<Pass: FieldPass<MessageTrace>>(fields pass: inout Pass) throws(Pass.Failure) {
        message = try pass.part(\.message, shownBy: "message_id")
        members = try pass.required("members", \.members, as: .objects())
        pushes = try pass.required("pushes", \.pushes, as: .objects())
    }
}

/// A message on its way to everybody.
public struct TracedMessage: GatewayObject {
    public let id: MessageID
    public let conversation: ConversationID
    public let sender: UserID
    /// The time of its commit, which its sender was told.
    public let acceptedAt: Timestamp
    public let seq: Int
    /// Whether the broker has taken it and everything accepted before it.
    public let isPublished: Bool

    public init(
        id: MessageID, conversation: ConversationID, sender: UserID, acceptedAt: Timestamp, seq: Int, isPublished: Bool
    ) {
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.acceptedAt = acceptedAt
        self.seq = seq
        self.isPublished = isPublished
    }

    package init<Pass: FieldPass<TracedMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("message_id", \.id)
        conversation = try pass.required("conversation_id", \.conversation)
        sender = try pass.required("sender_id", \.sender)
        acceptedAt = try pass.required("accepted_at", \.acceptedAt)
        seq = try pass.required("seq", \.seq, as: .seq)
        isPublished = try pass.required("is_published", \.isPublished)
    }
}

/// The progress of a member with a message, whatever they disclose to other members.
public struct TracedMember: GatewayObject {
    public let user: UserID
    /// The time at which a device of theirs confirmed this message or a later one; `nil` before that.
    public let deliveredAt: Timestamp?
    /// The time at which they read this message or a later one; `nil` before that.
    public let readAt: Timestamp?

    public init(user: UserID, deliveredAt: Timestamp?, readAt: Timestamp?) {
        (self.user, self.deliveredAt, self.readAt) = (user, deliveredAt, readAt)
    }

    package init<Pass: FieldPass<TracedMember>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        deliveredAt = try pass.optional("delivered_at", \.deliveredAt)
        readAt = try pass.optional("read_at", \.readAt)
    }
}

/// The decision about a notification, and its result.
public struct TracedPush: GatewayObject {
    /// Of the notification.
    public let id: NotificationID
    public let type: Named<PushType>
    public let user: UserID
    /// `nil` for a decision about the user, and for the notification on the topic.
    public let device: DeviceID?
    public let provider: Named<PushProvider>?
    public let decidedAt: Timestamp
    /// `notify`, `hold`, or the reason why not.
    public let decision: String
    /// When it was last passed to the push service.
    public let sentAt: Timestamp?
    /// The number of requests to the push service.
    public let attempts: Int
    /// The requests that the service may have taken although its answer was lost: the device may have received the
    /// notification as often again, with the same id.
    public let repeats: Int
    public let answeredAt: Timestamp?
    /// The answer of the push service, or the reason for giving up.
    public let answer: String?

    public init(
        id: NotificationID, type: Named<PushType>, user: UserID, device: DeviceID?, provider: Named<PushProvider>?,
        decidedAt: Timestamp, decision: String, sentAt: Timestamp?, attempts: Int, repeats: Int,
        answeredAt: Timestamp?, answer: String?
    ) {
        self.id = id
        self.type = type
        self.user = user
        self.device = device
        self.provider = provider
        self.decidedAt = decidedAt
        self.decision = decision
        self.sentAt = sentAt
        self.attempts = attempts
        self.repeats = repeats
        self.answeredAt = answeredAt
        self.answer = answer
    }

    package init<Pass: FieldPass<TracedPush>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        type = try pass.required("type", \.type)
        user = try pass.required("user_id", \.user)
        device = try pass.optional("device_id", \.device)
        provider = try pass.optional("provider", \.provider)
        decidedAt = try pass.required("decided_at", \.decidedAt)
        decision = try pass.required("decision", \.decision, as: .text(64))
        sentAt = try pass.optional("sent_at", \.sentAt)
        attempts = try pass.required("attempts", \.attempts)
        repeats = try pass.required("repeats", \.repeats)
        answeredAt = try pass.optional("answered_at", \.answeredAt)
        answer = try pass.optional("answer", \.answer, as: .text(256))
    }
}
