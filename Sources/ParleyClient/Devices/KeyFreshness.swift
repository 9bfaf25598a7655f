import ParleyProtocol

/// How old what is known of users' keys is: they are fetched before the first send on each connection, and again when
/// that is a minute ago; and, not too often, because something of theirs cannot be opened.
struct KeyFreshness {
    private var fetched: [UserID: ContinuousClock.Instant] = [:]
    private var guesses: [UserID: Allowance] = [:]
    /// Those whose keys were wanted too early.
    private var postponed: Set<UserID> = []

    /// How long keys count as fresh.
    static let lifetime: Duration = .seconds(60)
    /// How often in a row the keys of one user may be asked for because messages of theirs cannot be opened: a new device
    /// that writes at once is read at once.
    static let mostGuesses = 5
    /// How long it takes until one more is allowed.
    static let betweenGuesses: Duration = .seconds(10)
    static let capacity = 4096

    private struct Allowance {
        var left = KeyFreshness.mostGuesses
        /// When the last one was given back.
        var since: ContinuousClock.Instant

        mutating func refill(now: ContinuousClock.Instant) {
            while left < KeyFreshness.mostGuesses, now >= since + KeyFreshness.betweenGuesses {
                left += 1
                since += KeyFreshness.betweenGuesses
            }
            if left == KeyFreshness.mostGuesses { since = now }
        }
    }

    func isFresh(_ user: UserID, now: ContinuousClock.Instant) -> Bool {
        fetched[user].map { now < $0 + KeyFreshness.lifetime } ?? false
    }

    mutating func recordFetch(of user: UserID, now: ContinuousClock.Instant) {
        makeRoom(now: now)
        fetched[user] = now
    }

    /// The gateway said that the device list is another.
    mutating func markStale(_ user: UserID) { fetched[user] = nil }

    /// They are to be fetched soon, whether anything is sent or not: ``claimDueGuess(now:)`` says when.
    mutating func want(_ user: UserID) {
        fetched[user] = nil
        postponed.insert(user)
    }

    /// Asks whether keys may be fetched because something cannot be opened.
    ///
    /// - Returns: whether they may: it counts as fetched then, and will be due otherwise.
    mutating func claimGuess(_ user: UserID, now: ContinuousClock.Instant) -> Bool {
        makeRoom(now: now)
        var allowance = guesses[user] ?? Allowance(since: now)
        allowance.refill(now: now)
        guard allowance.left > 0 else {
            postponed.insert(user)
            return false
        }
        postponed.remove(user)
        allowance.left -= 1
        guesses[user] = allowance
        return true
    }

    /// A user whose keys could not be asked for earlier and can be now; it counts as asked.
    mutating func claimDueGuess(now: ContinuousClock.Instant) -> UserID? {
        for user in postponed where claimGuess(user, now: now) { return user }
        return nil
    }

    var nextGuess: ContinuousClock.Instant? {
        postponed.compactMap { guesses[$0]?.since }.min().map { $0 + KeyFreshness.betweenGuesses }
    }

    /// The next connection begins with nothing fresh.
    mutating func reset() { self = KeyFreshness() }

    private mutating func makeRoom(now: ContinuousClock.Instant) {
        guard fetched.count + guesses.count >= KeyFreshness.capacity else { return }
        fetched = fetched.filter { now < $0.value + KeyFreshness.lifetime }
        guesses = guesses.filter { now < $0.value.since + KeyFreshness.betweenGuesses }
        if fetched.count + guesses.count >= KeyFreshness.capacity { reset() }
    }
}
