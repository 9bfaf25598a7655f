import ParleyProtocol

/// Decides who comes into a group by an invite, who may make one and who may end it (protocol §5, `invites/*`).
///
/// A token that opens nothing for the caller gets the one same answer, whatever the reason: who was blocked or removed
/// cannot tell that from an invite that has ended.
package enum InviteRule {
    /// What is known of an invite, its group, and of whoever has its token.
    package struct Facts: Sendable {
        package let maker: UserID
        package let expiresAt: Timestamp
        /// `nil` for as many as there is room for.
        package let usesLeft: Int?
        package let isRevoked: Bool
        /// The group's conversation.
        package let conversation: ConversationFacts
        /// Whether the caller was removed from the group after this invite was made.
        package let isFromBeforeRemoval: Bool
        package let callerBlocksMaker: Bool
        package let makerBlocksCaller: Bool

        package init(
            maker: UserID, expiresAt: Timestamp, usesLeft: Int?, isRevoked: Bool, conversation: ConversationFacts,
            isFromBeforeRemoval: Bool, callerBlocksMaker: Bool, makerBlocksCaller: Bool
        ) {
            self.maker = maker
            self.expiresAt = expiresAt
            self.usesLeft = usesLeft
            self.isRevoked = isRevoked
            self.conversation = conversation
            self.isFromBeforeRemoval = isFromBeforeRemoval
            self.callerBlocksMaker = callerBlocksMaker
            self.makerBlocksCaller = makerBlocksCaller
        }
    }

    /// `invites/preview`, and the first that `invites/accept` asks.
    ///
    /// - Throws: `invite_invalid`; `blocked` only where the caller did the blocking, of an invite that would open the
    ///   group.
    package static func open(_ facts: Facts, now: Timestamp) throws(Rejection) {
        guard !facts.isRevoked, now < facts.expiresAt, facts.usesLeft.map({ $0 > 0 }) ?? true,
            // Who has gone invites nobody, and an ended group has no members.
            facts.conversation.member(facts.maker) != nil, !facts.isFromBeforeRemoval, !facts.makerBlocksCaller
        else { throw .inviteInvalid }
        guard !facts.callerBlocksMaker else { throw .blocked }
    }

    /// Whether `invites/accept` repeats an earlier one: the caller came by this very invite and is a member. Nothing is
    /// done then, however the invite is meanwhile.
    ///
    /// - Parameters:
    ///   - conversation: of the invite's group.
    ///   - isUsed: whether the caller has come by this invite before.
    package static func isRepeat(_ conversation: ConversationFacts, by caller: UserID, isUsed: Bool) -> Bool {
        isUsed && conversation.member(caller) != nil
    }

    /// `invites/accept` for the first time.
    ///
    /// - Parameters:
    ///   - groups: in how many groups they are, and may be.
    ///   - maximumMembers: the cap of a group.
    /// - Throws: as `open`; `already_in_group`; `group_full`. None of them spends a use.
    package static func accept(
        _ facts: Facts, by caller: UserID, groups: (are: Int, most: Int), maximumMembers: Int, now: Timestamp
    ) throws(Rejection) {
        try open(facts, now: now)
        guard facts.conversation.member(caller) == nil else {
            throw Rejection(.alreadyInGroup, "You are in this group already.")
        }
        try GroupPolicy.enter(groups: groups.are, most: groups.most)
        try GroupPolicy.checkSize(facts.conversation.members.count + 1, most: maximumMembers)
    }

    /// How many invites of one member may open a group at once.
    package static let mostOpen = 100

    /// `invites/create`
    ///
    /// - Parameters:
    ///   - kept: how many of the caller's invites to the group were not revoked, ended ones among them.
    ///   - open: how many of those open it; asked only where that matters.
    /// - Returns: whether those that have ended are to be revoked, to make room.
    /// - Throws: `forbidden` for one more than may be: waiting does not help.
    package static func create(kept: Int, open: () throws -> Int) throws -> Bool {
        guard kept >= mostOpen else { return false }
        guard try open() < mostOpen else {
            throw Rejection(.forbidden, "You have \(mostOpen) invites to this group that open it; revoke one.")
        }
        return true
    }

    /// `invites/revoke`
    ///
    /// - Parameter conversation: of the invite's group.
    /// - Throws: `not_found` to whoever may not even see it.
    package static func revoke(
        madeBy maker: UserID, _ conversation: ConversationFacts, by caller: UserID
    ) throws(Rejection) {
        guard caller == maker || conversation.member(caller)?.role == .admin else { throw .inviteNotFound }
    }
}
