import ParleyProtocol

/// The service time that each user has had lately: the user with the least is next.
///
/// A value, by start-time fair queueing: the time is not the clock's, but the service time of the user who is served. A
/// user who comes after a pause begins where the waiting ones are, without credit or debt. So a user is ahead of the
/// others by the time that their requests took, whether these were many or expensive.
struct TimeShares {
    private var marks: [UserID: Duration] = [:]
    /// The service time of the user who was served last.
    private var time = Duration.zero
    private var purgeAt = TimeShares.leastPurge

    private static let leastPurge = 1024
    /// The most that a user is ahead of the others, however long they were alone.
    static let mostLead = Duration.seconds(1)

    /// The number of known users. A user who is not ahead of the others is forgotten.
    var count: Int { marks.count }

    /// The service time of a user.
    func had(by user: UserID) -> Duration { max(time, marks[user] ?? .zero) }

    /// How far a user is ahead of the user with the least.
    func lead(of user: UserID) -> Duration { had(by: user) - time }

    /// Begins to serve a user, who has the least of all that wait.
    mutating func begin(_ user: UserID) { time = had(by: user) }

    /// Time passes: a user with no more than that is not ahead any more.
    mutating func advance(by passed: Duration) { time += max(.zero, passed) }

    mutating func charge(_ took: Duration, to user: UserID) {
        guard took > .zero else { return }
        marks[user] = min(had(by: user) + took, time + TimeShares.mostLead)
        guard marks.count >= purgeAt else { return }
        marks = marks.filter { $0.value > time }
        purgeAt = max(TimeShares.leastPurge, marks.count * 2)
    }
}
