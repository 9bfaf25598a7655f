import ParleyProtocol
import ParleyRules
import ParleyStore

extension ConversationState {
    /// What is between the two, and whose the conversation is; `nil` for a group.
    var relationship: Relationship? { contact.map { Relationship($0, openFor: facts.openFor) } }

    /// Whether what a member writes is shown to nobody else.
    func isWithheld(of user: UserID) -> Bool { contact?.isWithheld(of: user) ?? false }

    /// Its audience now.
    ///
    /// Whoever has blocked the other gets none of their events, nor later those of what was written meanwhile.
    var audience: AudienceChange {
        guard let audience = relationship?.audience else { return .conversation(facts.id, members: facts.users) }
        let silences = audience.members.compactMap { user in
            facts.silence(of: user, blocks: audience.blockers.contains(user))
        }
        return .conversation(facts.id, members: audience.members, silences: silences)
    }
}

extension Snapshot {
    /// Whether one person may write to another, and why.
    func permission(
        from sender: UserID, to recipient: UserID, _ settings: Settings, now: Timestamp
    ) throws -> MessagingPermission {
        .decide(
            from: sender, to: recipient, try contacts.contact(sender, recipient), now: now,
            renewal: settings.requestRenewal)
    }
}
