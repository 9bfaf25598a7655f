/// `challenges/create`: one member of a conversation challenges another.
public struct CreateChallenge: Command {
    public static let operation = Operation(validatedArea: "challenges", verb: "create")
    public static let fields = "id, conversation_id, challenged_id, type, target, duration_days"
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

    public init(_ object: JSONObject) throws(Rejection) {
        id = try object.uuid("id").required("id")
        conversation = try object.uuid("conversation_id").required("conversation_id")
        challenged = try object.level("challenged_id").required("challenged_id")
        type = try object.choice("type", as: ChallengeType.self).required("type")
        target = try object.integer("target", in: Limits.challengeTargets).required("target")
        durationDays = try object.integer("duration_days", in: Limits.challengeDays).required("duration_days")
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("conversation_id", conversation)
        object.member("challenged_id", challenged)
        object.member("type", type.rawValue)
        object.member("target", target)
        object.member("duration_days", durationDays)
    }

    /// What makes two requests of one id the same: everything that was sent, and who sent it.
    public func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var preimage = IdentityPreimage(reserving: 256)
        preimage.field(sender.user.text.utf8)
        preimage.field(sender.device.text.utf8)
        preimage.field(conversation.value.bytes)
        preimage.field(challenged.text.utf8)
        preimage.field(type.rawValue.utf8)
        preimage.field(String(target).utf8)
        preimage.field(String(durationDays).utf8)
        return preimage.bytes
    }
}

/// A request for one challenge: `id`.
public protocol ChallengeRequest: Request where Reply == Challenge {
    var challenge: ChallengeID { get }
    init(challenge: ChallengeID)
}

extension ChallengeRequest {
    public static var fields: String { "id" }

    public init(_ object: JSONObject) throws(Rejection) {
        self.init(challenge: try object.uuid("id").required("id"))
    }

    public func writeFields(to object: inout JSONWriter) { object.member("id", challenge) }
}

/// `challenges/accept`: by whom is challenged. The days of both begin with the day that it is where they are.
public struct AcceptChallenge: Command, ChallengeRequest {
    public static let operation = Operation(validatedArea: "challenges", verb: "accept")

    public let challenge: ChallengeID

    public init(challenge: ChallengeID) { self.challenge = challenge }
}

/// `challenges/decline`: by whom is challenged.
public struct DeclineChallenge: Command, ChallengeRequest {
    public static let operation = Operation(validatedArea: "challenges", verb: "decline")

    public let challenge: ChallengeID

    public init(challenge: ChallengeID) { self.challenge = challenge }
}

/// `challenges/cancel`: by the challenger, while nobody has answered.
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

/// `challenges/list`: those in which the caller takes part, the newest first; of one conversation, all that it has.
public struct ListChallenges: Query {
    public static let operation = Operation(validatedArea: "challenges", verb: "list")
    public static let fields = "conversation_id?, limit?=50, cursor?"
    public typealias Reply = ListPage<Challenge>

    public let conversation: ConversationID?
    public let page: Page

    public init(of conversation: ConversationID? = nil, page: Page = Page()) {
        self.conversation = conversation
        self.page = page
    }

    public init(_ object: JSONObject) throws(Rejection) {
        conversation = try object.uuid("conversation_id")
        page = try Page(object)
    }

    public func writeFields(to object: inout JSONWriter) {
        if let conversation { object.member("conversation_id", conversation) }
        page.writeFields(to: &object)
    }
}
