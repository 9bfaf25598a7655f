import ParleyProtocol

/// How much time each user has had lately of something that serves one request after another: who has had least is
/// next.
///
/// A value, by start-time fair queueing: time here is not the clock's, but what whoever is served has had. Who comes
/// after a while begins where those are who wait, and has neither credit nor debt. So a user is ahead of the others by
/// what their requests took, whether these were many or dear.
struct TimeShares {
    private var marks: [UserID: Duration] = [:]
    /// What whoever was served last had had.
    private var time = Duration.zero
    private var purgeAt = TimeShares.leastPurge

    private static let leastPurge = 1024
    /// Nobody is farther ahead of the others, however long they were alone.
    static let mostLead = Duration.seconds(1)

    /// How many users are known. Who is not ahead of the others is forgotten.
    var count: Int { marks.count }

    /// What a user has had: who has least is next.
    func had(by user: UserID) -> Duration { max(time, marks[user] ?? .zero) }

    /// By how much a user is ahead of who has had least.
    func lead(of user: UserID) -> Duration { had(by: user) - time }

    /// A turn of a user begins, who has had least of all that wait.
    mutating func begin(_ user: UserID) { time = had(by: user) }

    /// Time passes: who has had no more than that is not ahead.
    mutating func advance(by passed: Duration) { time += max(.zero, passed) }

    /// A user's request took so long.
    mutating func charge(_ took: Duration, to user: UserID) {
        guard took > .zero else { return }
        marks[user] = min(had(by: user) + took, time + TimeShares.mostLead)
        guard marks.count >= purgeAt else { return }
        marks = marks.filter { $0.value > time }
        purgeAt = max(TimeShares.leastPurge, marks.count * 2)
    }
}
