import ParleyProtocol

/// How old what is known of users' keys is: they are fetched before the first send on each connection, and again when
/// that is a minute ago; and, not too often, because something of theirs cannot be opened.
struct KeyFreshness {
    private var fetched: [UserID: ContinuousClock.Instant] = [:]
    private var guessed: [UserID: ContinuousClock.Instant] = [:]
    /// Those whose keys were wanted too early.
    private var postponed: Set<UserID> = []

    /// How long keys count as fresh.
    static let lifetime: Duration = .seconds(60)
    /// How soon the keys of one user may be asked for again because a message of theirs could not be opened.
    static let betweenGuesses: Duration = .seconds(10)
    static let capacity = 4096

    func isFresh(_ user: UserID, now: ContinuousClock.Instant) -> Bool {
        fetched[user].map { now < $0 + KeyFreshness.lifetime } ?? false
    }

    mutating func wasFetched(_ user: UserID, now: ContinuousClock.Instant) {
        makeRoom(now: now)
        fetched[user] = now
    }

    /// The gateway said that the device list is another.
    mutating func isStale(_ user: UserID) { fetched[user] = nil }

    /// Whether keys may be asked for because something cannot be opened; if so it counts as asked, else it will be due.
    mutating func mayGuess(_ user: UserID, now: ContinuousClock.Instant) -> Bool {
        makeRoom(now: now)
        if let last = guessed[user], now < last + KeyFreshness.betweenGuesses {
            postponed.insert(user)
            return false
        }
        postponed.remove(user)
        guessed[user] = now
        return true
    }

    /// A user whose keys could not be asked for earlier and can be now; it counts as asked.
    mutating func dueGuess(now: ContinuousClock.Instant) -> UserID? {
        for user in postponed where mayGuess(user, now: now) { return user }
        return nil
    }

    var nextGuess: ContinuousClock.Instant? {
        postponed.compactMap { guessed[$0] }.min().map { $0 + KeyFreshness.betweenGuesses }
    }

    /// The next connection begins with nothing fresh.
    mutating func disconnected() { self = KeyFreshness() }

    private mutating func makeRoom(now: ContinuousClock.Instant) {
        guard fetched.count + guessed.count >= KeyFreshness.capacity else { return }
        fetched = fetched.filter { now < $0.value + KeyFreshness.lifetime }
        guessed = guessed.filter { now < $0.value + KeyFreshness.betweenGuesses }
        if fetched.count + guessed.count >= KeyFreshness.capacity { disconnected() }
    }
}
