import ParleyProtocol

/// Decides whom a user may add to a group, and what that costs (protocol §4, Limits, and §5).
///
/// All candidates or none. A refusal does not name the candidate, who may block the caller or be in too many groups.
package enum GroupEntryRule {
    /// A user to be added.
    package struct Candidate: Hashable, Sendable {
        /// Whether the caller may write to them.
        package let permission: MessagingPermission
        /// Of the caller.
        package let isFriend: Bool
        /// They have left this group, or were removed from it.
        package let hasDeparted: Bool
        /// How many groups others have added them to; counted up to the limit.
        package let groupsByOthers: Int

        package init(permission: MessagingPermission, isFriend: Bool, hasDeparted: Bool = false, groupsByOthers: Int) {
            self.permission = permission
            self.isFriend = isFriend
            self.hasDeparted = hasDeparted
            self.groupsByOthers = groupsByOthers
        }

        fileprivate func mayBePutIn(mostGroupsByOthers: Int) -> Bool {
            permission.permits(.invitation) && !hasDeparted && groupsByOthers < mostGroupsByOthers
        }
    }

    /// - Parameter mostGroupsByOthers: how many groups others may add a user to.
    /// - Returns: how many are no friends: each costs a first message to a stranger.
    /// - Throws: `not_found` for an unknown user; `forbidden` if the caller may not add one of them.
    package static func strangers(
        among candidates: [Candidate], mostGroupsByOthers: Int
    ) throws(Rejection) -> Int {
        guard !candidates.contains(where: { $0.permission == .refused(.unknownUser) }) else { throw .userNotFound }
        guard candidates.allSatisfy({ $0.mayBePutIn(mostGroupsByOthers: mostGroupsByOthers) }) else {
            throw refusal
        }
        return candidates.count { !$0.isFriend }
    }

    /// - Parameter most: the burst of first messages to strangers.
    /// - Throws: `forbidden` above it: waiting would not help.
    package static func checkStrangers(_ count: Int, most: Int) throws(Rejection) {
        guard count <= most else {
            throw Rejection(.forbidden, "You may put at most \(most) strangers into a group at once.")
        }
    }

    /// The same for every reason.
    static let refusal = Rejection(.forbidden, "There is somebody among these whom you may not put into a group.")
}
