import ParleyProtocol
import ParleyRules
import ParleyStore

extension ConversationState {
    /// The relationship of the two, and for whom the conversation is open; `nil` for a group.
    var relationship: Relationship? { contact.map { Relationship($0, openFor: facts.openFor) } }

    /// Whether messages of a member are hidden from everybody else.
    func isWithheld(of user: UserID) -> Bool { contact?.isWithheld(of: user) ?? false }

    /// Its audience now. A user who has blocked the other gets none of their events, nor gets them later; who joined a
    /// group, none from before.
    var audience: AudienceChange {
        guard let audience = relationship?.audience else {
            return .conversation(
                facts.id, members: facts.users, silences: facts.users.compactMap { facts.silence(of: $0) })
        }
        let silences = audience.members.compactMap { user in
            facts.silence(of: user, blocks: audience.blockers.contains(user))
        }
        return .conversation(facts.id, members: audience.members, silences: silences)
    }
}
