import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

/// A command as the gateway carries it out. The conformance of each is in the folder of its capability.
protocol CommandHandler: Command {
    /// What is to be done, with all that is needed to do it.
    associatedtype Decision

    /// Whether it asks for nothing but what it declares, so that the facts of many are gathered at once.
    var isGathered: Bool { get }

    /// Declares what `decide` will ask for.
    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts)

    /// Decides what is to be done.
    ///
    /// - Throws: the `Rejection` that the device is answered with, or what went wrong with the store.
    func decide(in context: DecisionContext) throws -> Decision

    /// Does what was decided, and accepts the request.
    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError)
}

extension CommandHandler {
    var isGathered: Bool { false }

    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts) {}

    /// Decides it and does it.
    ///
    /// - Throws: a `Rejection`, and then nothing is written; or what went wrong with the store.
    func carryOut(_ route: ReplyRoute, in batch: Batch) throws {
        let context = DecisionContext(route, batch)
        try AuthorizeRule.check(refusalOfOperators: Self.refusalOfOperators) {
            try context.facts.users.hasMember(route.address.user)
        }
        try apply(try decide(in: context), in: ApplyContext(route, batch))
    }
}

/// A frequent command.
protocol GatheredCommandHandler: CommandHandler {}

extension GatheredCommandHandler {
    var isGathered: Bool { true }
}

/// A command that makes something under an id: the first time it is made, and a repeat gets the same reply.
protocol OnceHandler: CommandHandler, RepeatableCommand
where Decision == OnceDecision<Reply, New>, Reply: GatewayObject {
    /// What is to be made.
    associatedtype New

    /// Whether the broker must not store the reply for a device that is away.
    static var hasSecretReply: Bool { get }

    /// The digest of the request that has used the id, and its reply; `nil` for the first time.
    func first(in context: DecisionContext) throws -> (digest: [UInt8]?, reply: () throws -> Reply)?

    func decideNew(in context: DecisionContext) throws -> New

    /// - Parameter digest: of the request, 16 bytes.
    func make(_ new: New, digest: [UInt8], in context: ApplyContext) throws(StoreError) -> Reply
}

enum OnceDecision<Reply, New> {
    case repeated(Reply)
    case new(New, digest: [UInt8])
}

extension OnceHandler {
    static var hasSecretReply: Bool { false }

    func decide(in context: DecisionContext) throws -> OnceDecision<Reply, New> {
        let digest = try context.digest(of: self)
        guard let first = try first(in: context) else {
            return .new(try decideNew(in: context), digest: digest)
        }
        try RepeatRule.check(digest, of: first.digest)
        return .repeated(try first.reply())
    }

    func apply(_ decision: OnceDecision<Reply, New>, in context: ApplyContext) throws(StoreError) {
        let reply: Reply
        switch decision {
        case .repeated(let first): reply = first
        case .new(let new, let digest): reply = try make(new, digest: digest, in: context)
        }
        context.accept(isSecret: Self.hasSecretReply) { reply.write(to: &$0) }
    }
}

/// What a command is decided with: everything that was so before it. It may refuse, and has no way to write.
///
/// What it uses of limits counts from the COMMIT on, whether the command was refused or not.
struct DecisionContext {
    let route: ReplyRoute
    private let batch: Batch

    init(_ route: ReplyRoute, _ batch: Batch) {
        self.route = route
        self.batch = batch
    }

    var sender: DeviceAddress { route.address }
    var now: Timestamp { batch.now }
    var steady: Timestamp { batch.steady }
    var settings: Settings { batch.environment.settings }
    var tokens: TokenIssuer { batch.environment.tokens }

    /// What a request of the sender's is, 16 bytes: of a repeat the same.
    func digest(of command: some RepeatableCommand) throws -> [UInt8] {
        try BLAKE2b.hash(command.identityPreimage(sender: sender).span, length: .bytes16)
    }

    // MARK: Facts

    /// The database, for facts that few commands need.
    var facts: Snapshot { get throws(StoreError) { try batch.facts() } }

    func conversation(_ id: ConversationID) throws(StoreError) -> ConversationState? { try batch.conversation(id) }

    /// The conversation, if the user may see it.
    func visibleConversation(_ id: ConversationID, to user: UserID) throws -> ConversationState {
        try ConversationState.visible(try batch.conversation(id), to: user)
    }

    /// The devices with published keys of all members, the sending one left out, in order.
    func recipients(of conversation: ConversationFacts) throws(StoreError) -> [KeyedDevice] {
        var recipients: [KeyedDevice] = []
        for user in conversation.users {
            recipients += try batch.keyedDevices(of: user).lazy.filter { $0.address != sender }
        }
        return recipients
    }

    /// The place of the record with this id, in whichever conversation.
    func place(of id: MessageID) throws(StoreError) -> RecordLocation? { try batch.place(of: id) }

    /// The record that is to be changed; `nil` if it is not in that conversation, or withheld from the sender.
    func target(_ id: MessageID, in conversation: ConversationID) throws(StoreError) -> ChangeMessageRule.Target? {
        try batch.target(id)?.target(in: conversation, seenBy: sender.user)
    }

    /// How far the sender has come, seen from the sending device; `nil` if they are no member.
    func receipts(in conversation: ConversationID) throws(StoreError) -> ReceiptState? {
        try batch.receipts(of: sender, in: conversation)
    }

    /// What a user discloses of their reading and typing; `nil` if there is no such user.
    func disclosure(of user: UserID) throws(StoreError) -> DisclosureSettings? { try batch.disclosure(of: user) }

    /// What a member of a direct conversation may do toward the other; `nil` in a group, whose members may everything.
    func permission(of user: UserID, in conversation: ConversationState) -> MessagingPermission? {
        conversation.relationship?.permission(of: user, now: now, renewal: settings.requestRenewal)
    }

    /// Whether a member may do this in a conversation. A group asks for no permission: who is in it may.
    func permits(_ action: MessagingPermission.Action, by user: UserID, in conversation: ConversationState) -> Bool {
        permission(of: user, in: conversation)?.permits(action) ?? true
    }

    // MARK: Limits

    /// Whether the sender may have one more open conversation by an act of their own. Asked where the act opens one
    /// that was not theirs.
    ///
    /// - Throws: `forbidden`
    func checkOpenConversations() throws {
        let most = settings.openConversations
        try OpenConversationsRule.open(
            counted: facts.members.countedConversations(of: sender.user, atMost: most), most: most)
    }

    /// Whether a user may have so much more stored today.
    ///
    /// - Throws: `rate_limited`
    func checkRoom(for bytes: Int, of user: UserID) throws {
        try batch.loadStorage(of: user)
        try batch.environment.storage.ledger.checkRoom(for: bytes, of: user)
    }

    /// The first message to a stranger counts against how many of those one may write.
    func limitFirstMessage(
        under permission: MessagingPermission, _ conversation: ConversationState
    ) throws(Rejection) {
        guard let contact = conversation.contact, contact.isFirstMessage(of: sender.user, under: permission)
        else { return }
        try charge(\.firstMessages)
    }

    /// Each stranger whom the sender puts into a group counts as a first message to them.
    ///
    /// - Throws: `rate_limited`; or `forbidden` where there would never be room for so many at once.
    func chargeStrangers(_ strangers: Int) throws(Rejection) {
        try GroupEntryRule.checkStrangers(strangers, most: settings.firstMessageBurst)
        try charge(\.firstMessages, count: strangers, refusal: "Too many strangers put into groups; wait a little.")
    }

    /// Counts uses of a limit of the sender's.
    ///
    /// - Parameter refusal: takes the place of the limit's own sentence.
    /// - Throws: `rate_limited`
    func charge(
        _ limit: KeyPath<UserLimits, UserLimit>, count: Int = 1, refusal: String? = nil
    ) throws(Rejection) {
        try batch.environment.limits[keyPath: limit].charge(
            sender.user, count: count, &batch.afterCommit.uses[limit, default: PendingUses()], now: now,
            refusal: refusal)
    }

    /// Counts a look of the sender's at somebody, if they are a stranger. To be called before anything is read of them.
    ///
    /// - Parameter limit: `keyFetches` for what is told of their devices.
    /// - Throws: `rate_limited`
    func chargeLookup(of user: UserID, _ limit: KeyPath<UserLimits, UserLimit> = \.lookups) throws {
        try batch.environment.limits[keyPath: limit].charge(
            lookAt: user, by: sender.user, facts, &batch.afterCommit.uses[limit, default: PendingUses()], now: now)
    }
}
