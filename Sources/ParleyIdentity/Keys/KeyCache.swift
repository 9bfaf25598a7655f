/// When the keys of a provider are fetched, and which of them count. A value: the caller does what it answers, and says
/// how that went.
struct KeyCache: Sendable {
    /// How long keys are used without asking again, whatever the provider says.
    static let lifetimes: ClosedRange<Duration> = .seconds(300) ... .seconds(86_400)
    /// How long they are used after that, while the provider does not answer.
    static let grace: Duration = .seconds(86_400)
    /// Between fetches for ids that are not among the keys, which anybody can make up.
    static let pauseForUnknown: Duration = .seconds(60)
    /// After a fetch that failed.
    static let pauseAfterFailure: Duration = .seconds(5)

    enum Answer {
        case key(ProviderKey)
        case keyOfOtherAlgorithm
        /// There is no such key.
        case unknown
        /// Fetch the keys, and call ``save(_:at:)`` with the result.
        case fetch
        /// They are being fetched.
        case wait
        /// They could not be fetched.
        case unavailable
    }

    private struct Kept: Sendable {
        let keys: KeySet
        /// From then on they are fetched again.
        let due: ContinuousClock.Instant
        /// From then on they count no more.
        var end: ContinuousClock.Instant { due + grace }
    }

    private var kept: Kept?
    private var isFetching = false
    private(set) var hasFailed = false
    private var lastFetch: ContinuousClock.Instant?

    mutating func find(
        _ id: String, _ algorithm: IdentityToken.Algorithm, at now: ContinuousClock.Instant
    ) -> Answer {
        let isFresh = kept.map { now < $0.due } ?? false
        let answer = settled(id, algorithm, at: now)
        switch answer {
        case .key, .keyOfOtherAlgorithm: if isFresh { return answer }
        case .unknown, .unavailable, .fetch, .wait: break
        }
        if isFetching { return .wait }
        let pause = isFresh ? KeyCache.pauseForUnknown : hasFailed ? KeyCache.pauseAfterFailure : .zero
        if let lastFetch, now < lastFetch + pause { return answer }
        isFetching = true
        lastFetch = now
        return .fetch
    }

    /// The answer by the keys there are, without a fetch.
    func settled(
        _ id: String, _ algorithm: IdentityToken.Algorithm, at now: ContinuousClock.Instant
    ) -> Answer {
        guard let kept, now < kept.end else { return .unavailable }
        switch kept.keys.find(id, algorithm) {
        case .found(let key): return .key(key)
        case .otherAlgorithm: return .keyOfOtherAlgorithm
        // It may be among those that could not be fetched.
        case .none: return hasFailed ? .unavailable : .unknown
        }
    }

    /// - Parameter fetched: `nil` if they could not be fetched; the earlier ones are kept.
    mutating func save(_ fetched: FetchedKeys?, at now: ContinuousClock.Instant) {
        isFetching = false
        hasFailed = fetched == nil
        guard let fetched else { return }
        let lifetime = min(max(fetched.lifetime, KeyCache.lifetimes.lowerBound), KeyCache.lifetimes.upperBound)
        kept = Kept(keys: fetched.keys, due: now + lifetime)
    }
}

/// Keys with the time for which the provider lets them be kept.
struct FetchedKeys: Sendable {
    let keys: KeySet
    let lifetime: Duration
}
