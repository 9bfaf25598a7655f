/// The state of a provider's keys: which are valid, and when they are fetched. A value: it returns actions, and the
/// caller reports their results.
struct KeyCache: Sendable {
    /// The shortest and the longest time for which keys are used without a fetch, whatever the provider allows.
    static let lifetimes: ClosedRange<Duration> = .seconds(300) ... .seconds(86_400)
    /// The time for which they are used after that, while the provider does not answer.
    static let grace: Duration = .seconds(86_400)
    /// The pause between fetches for unknown key ids, which can be made up.
    static let pauseForUnknown: Duration = .seconds(60)
    /// After a failed fetch.
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
        /// The time from which they are fetched again.
        let due: ContinuousClock.Instant
        /// The time from which they are invalid.
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

    /// The answer by the cached keys, without a fetch.
    func settled(
        _ id: String, _ algorithm: IdentityToken.Algorithm, at now: ContinuousClock.Instant
    ) -> Answer {
        guard let kept, now < kept.end else { return .unavailable }
        switch kept.keys.find(id, algorithm) {
        case .found(let key): return .key(key)
        case .otherAlgorithm: return .keyOfOtherAlgorithm
        // It may be among the keys of the failed fetch.
        case .none: return hasFailed ? .unavailable : .unknown
        }
    }

    /// - Parameter fetched: `nil` for a failed fetch, after which the earlier keys stay.
    mutating func save(_ fetched: FetchedKeys?, at now: ContinuousClock.Instant) {
        isFetching = false
        hasFailed = fetched == nil
        guard let fetched else { return }
        let lifetime = min(max(fetched.lifetime, KeyCache.lifetimes.lowerBound), KeyCache.lifetimes.upperBound)
        kept = Kept(keys: fetched.keys, due: now + lifetime)
    }
}

/// Keys, and the time for which the provider lets them be cached.
struct FetchedKeys: Sendable {
    let keys: KeySet
    let lifetime: Duration
}
