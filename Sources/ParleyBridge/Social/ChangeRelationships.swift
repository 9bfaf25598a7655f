import ParleyProtocol
import ParleyRules
import ParleyStore

/// A change of the relationship of two people.
struct RelationshipDecision {
    let old: Relationship
    let new: Relationship
    /// Their direct conversation, if there is one.
    let conversation: ConversationState?
}

/// Carries out `social/follow`, `unfollow`, `block` and `unblock`.
protocol RelationshipHandler: UserRequest, CommandHandler where Decision == RelationshipDecision {
    var act: Relationship.Act { get }
}

extension RelationshipHandler {
    package static var refusalOfOperators: String? { "An operator follows nobody and blocks nobody." }

    func decide(in context: DecisionContext) throws -> RelationshipDecision {
        let caller = context.sender.user
        try Relationship.checkOther(user, than: caller)
        try context.chargeLookup(of: user)
        let conversation = try context.conversation(.direct([caller, user]))
        guard try context.facts.users.hasMember(user),
            let contact = try conversation?.contact ?? context.facts.contacts.contact(caller, user)
        else {
            throw Rejection.userNotFound
        }
        return try RelationshipDecision(act, contact, conversation, in: context)
    }

    func apply(_ decision: RelationshipDecision, in context: ApplyContext) throws(StoreError) {
        try context.relationships.apply(decision)
        let caller = context.sender.user
        let counts = try context.read { try $0.people.followCounts(of: caller, seenBy: caller) }
        context.accept { writer in
            writer.object {
                $0.member("user_id", user)
                counts.writeFields(to: &$0)
            }
        }
    }
}

extension RelationshipDecision {
    /// The change by an act of the caller's.
    init(
        _ act: Relationship.Act, _ contact: Contact, _ conversation: ConversationState?, in context: DecisionContext
    ) throws(Rejection) {
        old = Relationship(contact, openFor: conversation?.facts.openFor)
        var new = old
        try new.perform(act, by: context.sender.user, now: context.now, renewal: context.settings.requestRenewal)
        self.new = new
        self.conversation = conversation
    }

    /// Whether the change makes the conversation open for a user.
    func opensConversation(for user: UserID) -> Bool {
        new.openFor?.contains(user) == true && old.openFor?.contains(user) != true
    }

    /// The change by an answer to a message request.
    fileprivate init(
        answering id: ConversationID, _ act: Relationship.Act, in context: DecisionContext
    ) throws {
        let conversation = try context.conversation(id)
        guard let contact = conversation?.contact, conversation?.facts.member(context.sender.user) != nil else {
            throw Rejection.requestNotFound
        }
        try self.init(act, contact, conversation, in: context)
    }
}

extension Follow: RelationshipHandler { var act: Relationship.Act { .follow } }
extension Unfollow: RelationshipHandler { var act: Relationship.Act { .unfollow } }
extension Block: RelationshipHandler { var act: Relationship.Act { .block } }
extension Unblock: RelationshipHandler { var act: Relationship.Act { .unblock } }

extension AcceptRequest: CommandHandler {
    func decide(in context: DecisionContext) throws -> RelationshipDecision {
        let decision = try RelationshipDecision(answering: conversation, .accept, in: context)
        if decision.opensConversation(for: context.sender.user) { try context.checkOpenConversations() }
        return decision
    }

    func apply(_ decision: RelationshipDecision, in context: ApplyContext) throws(StoreError) {
        try context.relationships.apply(decision)
        let object = try context.object(of: context.conversation(conversation), seenBy: context.sender.user)
        context.accept { object.write(to: &$0) }
    }
}

extension DeclineRequest: CommandHandler {
    func decide(in context: DecisionContext) throws -> RelationshipDecision {
        try RelationshipDecision(answering: conversation, .decline, in: context)
    }

    /// The asker is not notified.
    func apply(_ decision: RelationshipDecision, in context: ApplyContext) throws(StoreError) {
        try context.relationships.apply(decision)
        context.accept { writer in
            writer.object { $0.member("conversation_id", conversation) }
        }
    }
}
