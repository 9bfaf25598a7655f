import ParleyProtocol
import ParleyRules
import ParleyStore

extension BatchFeed {
    /// Adds an achievement that the gateway has computed, unless it was added before or the user does not share their
    /// workout data.
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
