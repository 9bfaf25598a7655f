import ParleyProtocol
import ParleyStore

/// How a friend of the caller's does, or the caller themselves.
extension GetSummary: QueryHandler {
    private static let achievements = 10

    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        try context.checkFriendship(with: user)
        guard let profile = try snapshot.users.profile(user) else { throw Rejection.userNotFound }
        var achievements = PageBuilder<NumberPlace>(limit: Self.achievements)
        try snapshot.activities.read(of: user, seenBy: caller, before: nil) { stored in
            achievements.append(NumberPlace(number: stored.key.value), stored.item.write)
        }
        let isShared = profile.sharesWorkoutData || user == caller
        let summary = FriendSummary(
            user: user, numbers: isShared ? try snapshot.numbers(of: user, now: context.now) : FriendSummary.Numbers(),
            achievements: .json(achievements.json))
        outgoing.accept(context.route) { summary.write(to: &$0) }
    }
}

extension Snapshot {
    /// What somebody does in numbers, as far as it is known.
    fileprivate func numbers(of user: UserID, now: Timestamp) throws -> FriendSummary.Numbers {
        FriendSummary.Numbers()
    }
}
