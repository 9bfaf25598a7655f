import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

/// A command as the gateway carries it out. The conformance of each is in the folder of its capability.
protocol CommandHandler: Command {
    /// All that is needed to carry it out.
    associatedtype Decision

    /// Whether it reads only the facts that it declares, so that the facts of many are gathered at once.
    var isGathered: Bool { get }

    /// Declares the facts that `decide` reads.
    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts)

    /// - Throws: a `Rejection` for the device, or an error of the store.
    func decide(in context: DecisionContext) throws -> Decision

    /// Carries the decision out, and replies.
    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError)
}

extension CommandHandler {
    var isGathered: Bool { false }

    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts) {}

    /// - Parameter finding: of the desk.
    /// - Throws: a `Rejection`, and then nothing is written; or an error of the store.
    func carryOut(_ route: ReplyRoute, by finding: AccountFinding? = nil, in batch: Batch) throws {
        let context = DecisionContext(route, finding: finding, batch)
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

/// A command that is executed once under an id: the first time it is carried out, and a repeat gets the same reply.
protocol OnceHandler: CommandHandler, RepeatableCommand where Decision == OnceDecision<Outcome, New> {
    /// All that is needed to carry it out.
    associatedtype New
    /// All that the reply depends on.
    associatedtype Outcome = Reply

    /// Whether the broker must not store the reply for a device that is away.
    static var hasSecretReply: Bool { get }

    /// The digest of the request, 16 bytes: a repeat has the same.
    func digest(in context: DecisionContext) throws -> [UInt8]

    /// The digest of the request that has used the id, and its outcome; `nil` for the first time.
    func first(in context: DecisionContext) throws -> (digest: [UInt8]?, outcome: () throws -> Outcome)?

    func decideNew(in context: DecisionContext) throws -> New

    /// - Parameter digest: of the request.
    func make(_ new: New, digest: [UInt8], in context: ApplyContext) throws(StoreError) -> Outcome

    func reply(with outcome: Outcome, digest: [UInt8], in context: ApplyContext) throws(StoreError)
}

enum OnceDecision<Outcome, New> {
    case repeated(Outcome, digest: [UInt8])
    case new(New, digest: [UInt8])
}

extension OnceHandler {
    static var hasSecretReply: Bool { false }

    func digest(in context: DecisionContext) throws -> [UInt8] { try context.digest(of: self) }

    func decide(in context: DecisionContext) throws -> OnceDecision<Outcome, New> {
        let digest = try digest(in: context)
        guard let first = try first(in: context) else {
            return .new(try decideNew(in: context), digest: digest)
        }
        try RepeatRule.check(digest, of: first.digest)
        return .repeated(try first.outcome(), digest: digest)
    }

    func apply(_ decision: OnceDecision<Outcome, New>, in context: ApplyContext) throws(StoreError) {
        switch decision {
        case .repeated(let outcome, let digest): try reply(with: outcome, digest: digest, in: context)
        case .new(let new, let digest):
            try reply(with: make(new, digest: digest, in: context), digest: digest, in: context)
        }
    }
}

extension OnceHandler where Outcome: GatewayObject {
    func reply(with outcome: Outcome, digest: [UInt8], in context: ApplyContext) {
        context.accept(isSecret: Self.hasSecretReply) { outcome.write(to: &$0) }
    }
}

/// The facts that a command is decided by. Deciding may refuse, and has no way to write.
///
/// Uses of limits count from the COMMIT on, even if the command was refused.
struct DecisionContext {
    let route: ReplyRoute
    /// Of the desk, for a request about an account.
    let finding: AccountFinding?
    private let batch: Batch

    init(_ route: ReplyRoute, finding: AccountFinding? = nil, _ batch: Batch) {
        self.route = route
        self.finding = finding
        self.batch = batch
    }

    var sender: DeviceAddress { route.address }
    var now: Timestamp { batch.now }
    var steady: Timestamp { batch.steady }
    var settings: Settings { batch.environment.settings }
    var tokens: TokenIssuer { batch.environment.tokens }

    /// The digest of a request of the sender's, 16 bytes: a repeat has the same.
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

    /// The location of the record with this id, in any conversation.
    func location(of id: MessageID) throws(StoreError) -> RecordLocation? { try batch.location(of: id) }

    /// The record that is to be changed; `nil` if it is not in that conversation, or withheld from the sender.
    func target(_ id: MessageID, in conversation: ConversationID) throws(StoreError) -> ChangeMessageRule.Target? {
        try batch.target(id)?.target(in: conversation, seenBy: sender.user)
    }

    /// The watermarks of the sender and of the sending device; `nil` if they are no member.
    func receipts(in conversation: ConversationID) throws(StoreError) -> ReceiptState? {
        try batch.receipts(of: sender, in: conversation)
    }

    /// Whether a user discloses reading and typing; `nil` if there is no such user.
    func disclosure(of user: UserID) throws(StoreError) -> DisclosureSettings? { try batch.disclosure(of: user) }

    /// The permission of a member of a direct conversation; `nil` in a group, where members may do everything.
    func permission(of user: UserID, in conversation: ConversationState) -> MessagingPermission? {
        conversation.relationship?.permission(of: user, now: now, renewal: settings.requestRenewal)
    }

    /// Whether a member may do this in a conversation.
    func permits(_ action: MessagingPermission.Action, by user: UserID, in conversation: ConversationState) -> Bool {
        permission(of: user, in: conversation)?.permits(action) ?? true
    }

    // MARK: Limits

    /// Checks that the sender may open one more conversation.
    ///
    /// - Throws: `forbidden`
    func checkOpenConversations() throws {
        let most = settings.openConversations
        try OpenConversationsRule.open(
            counted: facts.members.countedConversations(of: sender.user, atMost: most), most: most)
    }

    /// Checks that so many more bytes of a user may be stored today.
    ///
    /// - Throws: `rate_limited`
    func checkRoom(for bytes: Int, of user: UserID) throws {
        try batch.loadStorage(of: user)
        try batch.environment.storage.ledger.checkRoom(for: bytes, of: user)
    }

    /// Counts a first message to a stranger.
    func limitFirstMessage(under permission: MessagingPermission, _ conversation: ConversationState) throws {
        guard let contact = conversation.contact, contact.isFirstMessage(of: sender.user, under: permission)
        else { return }
        try charge(.firstMessages)
    }

    /// Counts each stranger whom the sender adds to a group as a first message.
    ///
    /// - Throws: `rate_limited`; or `forbidden` for more at once than the limit ever allows.
    func chargeStrangers(_ strangers: Int) throws {
        try GroupEntryRule.checkStrangers(strangers, most: settings.firstMessageBurst)
        try charge(.firstMessages, count: strangers, refusal: "Too many strangers put into groups; wait a little.")
    }

    /// Counts uses of a limit of the sender's.
    ///
    /// - Parameter refusal: takes the place of the limit's own sentence.
    /// - Throws: `rate_limited`
    func charge(_ use: LimitedUse, count: Int = 1, refusal: String? = nil) throws {
        guard let wait = try batch.waitToUse(use, count, by: sender.user) else {
            return batch.countUses(use, count, by: sender.user)
        }
        throw Rejection(.rateLimited, refusal ?? use.refusal, retryAfterMilliseconds: wait)
    }

    /// Counts a lookup by the sender, if the user is a stranger. To be called before anything is read of the user.
    ///
    /// - Parameter use: `keyFetches` for the devices of a user.
    /// - Throws: `rate_limited`
    func chargeLookup(of user: UserID, _ use: LimitedUse = .lookups) throws {
        let caller = sender.user
        guard try facts.costs(user, lookedAtBy: caller, hasRoom: batch.waitToUse(use, 1, by: caller) == nil)
        else { return }
        try charge(use)
    }
}
