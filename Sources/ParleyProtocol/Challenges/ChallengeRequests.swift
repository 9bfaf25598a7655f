/// `challenges/create`: one member of a conversation challenges another.
public struct CreateChallenge: RepeatableCommand {
    public static let operation = Operation(validatedArea: "challenges", verb: "create")
    public typealias Reply = Challenge

    public let id: ChallengeID
    public let conversation: ConversationID
    public let challenged: UserID
    public let type: ChallengeType
    public let target: Int
    public let durationDays: Int

    public init(
        id: ChallengeID = .random(), conversation: ConversationID, challenged: UserID, type: ChallengeType,
        target: Int, durationDays: Int
    ) {
        self.id = id
        self.conversation = conversation
        self.challenged = challenged
        self.type = type
        self.target = target
        self.durationDays = durationDays
    }

    package init<Pass: FieldPass<CreateChallenge>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        conversation = try pass.required("conversation_id", \.conversation)
        challenged = try pass.required("challenged_id", \.challenged)
        type = try pass.required("type", \.type)
        target = try pass.required("target", \.target, as: .integer(Limits.challengeTargets))
        durationDays = try pass.required("duration_days", \.durationDays, as: .integer(Limits.challengeDays))
    }

    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        IdentityPreimage(of: sender).field(conversation).field(challenged.text).field(type.rawValue).field(target)
            .field(durationDays).bytes
    }
}

/// A request for one challenge: `id`.
package protocol ChallengeRequest: Request where Reply == Challenge {
    var challenge: ChallengeID { get }
    init(challenge: ChallengeID)
}

extension ChallengeRequest {
    package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(challenge: try pass.required("id", \.challenge))
    }
}

/// `challenges/accept`, by the challenged user. The days of each begin with their current civil day.
public struct AcceptChallenge: Command, ChallengeRequest {
    public static let operation = Operation(validatedArea: "challenges", verb: "accept")

    public let challenge: ChallengeID

    public init(challenge: ChallengeID) { self.challenge = challenge }
}

/// `challenges/decline`, by the challenged user.
public struct DeclineChallenge: Command, ChallengeRequest {
    public static let operation = Operation(validatedArea: "challenges", verb: "decline")

    public let challenge: ChallengeID

    public init(challenge: ChallengeID) { self.challenge = challenge }
}

/// `challenges/cancel`, by the challenger before there is an answer.
public struct CancelChallenge: Command, ChallengeRequest {
    public static let operation = Operation(validatedArea: "challenges", verb: "cancel")

    public let challenge: ChallengeID

    public init(challenge: ChallengeID) { self.challenge = challenge }
}

/// `challenges/get`
public struct GetChallenge: Query, ChallengeRequest {
    public static let operation = Operation(validatedArea: "challenges", verb: "get")

    public let challenge: ChallengeID

    public init(challenge: ChallengeID) { self.challenge = challenge }
}

/// `challenges/list`: the caller's challenges, the newest first; of one conversation, all of its challenges.
public struct ListChallenges: Query {
    public static let operation = Operation(validatedArea: "challenges", verb: "list")
    public typealias Reply = ListPage<Challenge>

    public let conversation: ConversationID?
    public let page: Page

    public init(of conversation: ConversationID? = nil, page: Page = Page()) {
        (self.conversation, self.page) = (conversation, page)
    }

    package init<Pass: FieldPass<ListChallenges>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.optional("conversation_id", \.conversation)
        page = try pass.part(\.page)
    }
}
