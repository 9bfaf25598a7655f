import ParleyProtocol
import ParleyRules
import ParleyStore

extension BatchFeed {
    /// Makes an item of somebody's activity of what the gateway has computed, and announces it to their friends.
    /// Nothing comes of it where there is one for the same, or where they do not share their workouts.
    func record(of user: UserID, _ activity: NewActivity) throws(StoreError) {
        let profile = try batch.facts().users.profile(user)
        guard let profile, profile.sharesWorkoutData else { return }
        let item = ActivityItem(
            id: .random(), user: user, type: .known(activity.type), title: activity.title, description: nil,
            metadata: activity.metadata, timestamp: batch.now)
        try add(item, .made(for: activity.key))
    }

    /// Adds an item, and announces it if it is new.
    func add(_ item: ActivityItem, _ origin: ActivityWrites.Origin) throws(StoreError) {
        let end = batch.steady.advanced(by: ActivityFeed.lifetime)
        guard try batch.writable().activities.insert(item, origin, disappearsAt: end) else { return }
        batch.afterCommit.wake(FeedRemovalDuty.self, at: end)
        try batch.publish(item)
    }
}
