import ParleyProtocol

/// Decides whom somebody may put into a group, and what that costs (protocol §4, Limits, and §5).
///
/// All of them or nobody. A refusal does not say whom it is about: it may be somebody who has blocked the caller, or
/// whom others have put into too many groups.
package enum GroupEntryRule {
    /// Somebody who is to be put into a group, and what is asked about them.
    package struct Candidate: Hashable, Sendable {
        /// Whether whoever puts them in may write to them.
        package let permission: MessagingPermission
        /// Each of the two follows the other.
        package let isFriend: Bool
        /// They have left this group, or were taken out of it.
        package let hasDeparted: Bool
        /// Of how many groups they are a member because others have put them in. No more than the limit need be
        /// counted.
        package let groupsByOthers: Int

        package init(permission: MessagingPermission, isFriend: Bool, hasDeparted: Bool = false, groupsByOthers: Int) {
            self.permission = permission
            self.isFriend = isFriend
            self.hasDeparted = hasDeparted
            self.groupsByOthers = groupsByOthers
        }

        /// Who has departed comes back by their own act alone.
        fileprivate func mayBePutIn(mostGroupsByOthers: Int) -> Bool {
            permission.permits(.invitation) && !hasDeparted && groupsByOthers < mostGroupsByOthers
        }
    }

    /// - Parameter mostGroupsByOthers: of how many groups somebody may be a member because others have put them in.
    /// - Returns: how many of them are no friends: each costs a first message to a stranger.
    /// - Throws: `not_found` for who does not exist; `forbidden` if there is one whom the caller may not put in.
    package static func strangers(
        among candidates: [Candidate], mostGroupsByOthers: Int
    ) throws(Rejection) -> Int {
        guard !candidates.contains(where: { $0.permission == .refused(.unknownUser) }) else { throw .userNotFound }
        guard candidates.allSatisfy({ $0.mayBePutIn(mostGroupsByOthers: mostGroupsByOthers) }) else {
            throw refusal
        }
        return candidates.count { !$0.isFriend }
    }

    /// - Parameter most: how many first messages to strangers one may write at once.
    /// - Throws: `forbidden` where there would never be room for so many at once.
    package static func checkStrangers(_ count: Int, most: Int) throws(Rejection) {
        guard count <= most else {
            throw Rejection(.forbidden, "You may put at most \(most) strangers into a group at once.")
        }
    }

    /// The same for everybody and every reason.
    static let refusal = Rejection(.forbidden, "There is somebody among these whom you may not put into a group.")
}
