import ParleyProtocol

/// Decides who joins a group by an invite, who may create one and who may revoke it (protocol §5, `invites/*`).
///
/// A token that opens nothing for the caller gets the same answer for every reason: a blocked or removed caller cannot
/// tell that from an expired invite.
package enum InviteRule {
    package struct Facts: Sendable {
        package let maker: UserID
        package let expiresAt: Timestamp
        /// `nil` for no limit.
        package let usesLeft: Int?
        package let isRevoked: Bool
        /// The group's conversation.
        package let conversation: ConversationFacts
        /// Whether the caller was removed from the group after its creation.
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

    /// Whether an invite opens something for somebody.
    ///
    /// - Parameters:
    ///   - usesLeft: `nil` for no limit.
    ///   - isMakerMember: a maker who has left invites nobody, and an ended group has no members.
    package static func isLive(
        isRevoked: Bool, expiresAt: Timestamp, usesLeft: Int?, isMakerMember: Bool, now: Timestamp
    ) -> Bool {
        !isRevoked && now < expiresAt && usesLeft.map { $0 > 0 } ?? true && isMakerMember
    }

    /// `invites/preview`, and the first check of `invites/accept`.
    ///
    /// - Throws: `invite_invalid`; `blocked` where the invite is valid and the caller blocks its maker.
    package static func open(_ facts: Facts, now: Timestamp) throws(Rejection) {
        guard
            isLive(
                isRevoked: facts.isRevoked, expiresAt: facts.expiresAt, usesLeft: facts.usesLeft,
                isMakerMember: facts.conversation.member(facts.maker) != nil, now: now),
            !facts.isFromBeforeRemoval, !facts.makerBlocksCaller
        else { throw .inviteInvalid }
        guard !facts.callerBlocksMaker else { throw .blocked }
    }

    /// Whether `invites/accept` is a repeat, which changes nothing: the caller joined by this invite and is a member.
    ///
    /// - Parameters:
    ///   - conversation: of the invite's group.
    ///   - isUsed: whether the caller has used this invite.
    package static func isRepeat(_ conversation: ConversationFacts, by caller: UserID, isUsed: Bool) -> Bool {
        isUsed && conversation.member(caller) != nil
    }

    /// `invites/accept` for the first time.
    ///
    /// - Parameters:
    ///   - groups: of the caller.
    ///   - maximumMembers: of a group.
    /// - Throws: as `open`; `already_in_group`; `group_full`. No refusal spends a use.
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

    /// Valid invites of one member to a group.
    package static let mostOpen = 100

    /// `invites/create`
    ///
    /// - Parameters:
    ///   - kept: the caller's invites to the group that were not revoked, expired ones included.
    ///   - open: how many of those are valid; called only where that matters.
    /// - Returns: whether the expired ones are revoked to make room.
    /// - Throws: `forbidden` for one too many: waiting does not help.
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
    /// - Throws: `not_found` to a caller who is neither its maker nor an admin.
    package static func revoke(
        madeBy maker: UserID, _ conversation: ConversationFacts, by caller: UserID
    ) throws(Rejection) {
        guard caller == maker || conversation.member(caller)?.role == .admin else { throw .inviteNotFound }
    }
}
