import Logging
import ParleyProtocol
import Synchronization

/// The keys of one provider, for callers on any thread. They share a fetch, and none blocks its thread.
final class KeyRing: Sendable {
    /// The most callers that wait for a fetch; more fail as unavailable.
    static let mostWaiting = 256

    private typealias Then = @Sendable (Result<ProviderKey, IdentityError>) -> Void

    private struct Waiting {
        let id: String
        let algorithm: IdentityToken.Algorithm
        let then: Then
    }

    private struct State {
        var cache = KeyCache()
        var waiting: [Waiting] = []
    }

    private enum Step {
        case answer(Result<ProviderKey, IdentityError>)
        case fetch
        case wait
    }

    private let state = Mutex(State())
    private let fetch: KeyFetch
    private let logger: Logger
    private let clock: @Sendable () -> ContinuousClock.Instant

    /// - Parameter clock: for the cache.
    init(_ fetch: KeyFetch, logger: Logger, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
        (self.fetch, self.logger, self.clock) = (fetch, logger, clock)
    }

    /// Finds the key of a token's signature.
    ///
    /// - Parameter then: called once: before this returns if the key is cached, otherwise on the client's thread.
    func find(
        _ token: IdentityToken, then: @escaping @Sendable (Result<ProviderKey, IdentityError>) -> Void
    ) {
        let now = clock()
        let step = state.withLock { state -> Step in
            let answer = state.cache.find(token.keyID, token.algorithm, at: now)
            if let result = answer.result { return .answer(result) }
            let isFirst = if case .fetch = answer { true } else { false }
            guard isFirst || state.waiting.count < KeyRing.mostWaiting else { return .answer(.failure(.unavailable)) }
            state.waiting.append(Waiting(id: token.keyID, algorithm: token.algorithm, then: then))
            return isFirst ? .fetch : .wait
        }
        switch step {
        case .answer(let result): then(result)
        case .wait: break
        case .fetch: fetch.run { [self] in finish($0) }
        }
    }

    private func finish(_ result: Result<FetchedKeys, KeyProblem>) {
        let now = clock()
        let (answers, isFirstFailure) = state.withLock { state in
            let hadFailed = state.cache.hasFailed
            state.cache.save(try? result.get(), at: now)
            let cache = state.cache
            let answers = state.waiting.map { waiting in
                (waiting.then, cache.settled(waiting.id, waiting.algorithm, at: now).result)
            }
            state.waiting = []
            return (answers, cache.hasFailed && !hadFailed)
        }
        log(result, isFirstFailure: isFirstFailure)
        for (then, result) in answers { then(result ?? .failure(.unavailable)) }
    }

    private func log(_ result: Result<FetchedKeys, KeyProblem>, isFirstFailure: Bool) {
        switch result {
        case .success:
            logger.debug("the keys of an identity provider were fetched", metadata: ["issuer": "\(fetch.issuer.text)"])
        case .failure(let problem):
            // Logged once, until a fetch succeeds again.
            logger.log(
                level: isFirstFailure ? .warning : .debug, "the keys of an identity provider cannot be fetched",
                metadata: ["issuer": "\(fetch.issuer.text)", "problem": "\(problem)"])
        }
    }
}

extension KeyCache.Answer {
    /// `nil` where it needs a fetch.
    fileprivate var result: Result<ProviderKey, IdentityError>? {
        switch self {
        case .key(let key): .success(key)
        case .keyOfOtherAlgorithm: .failure(.token(.keyOfOtherAlgorithm))
        case .unknown: .failure(.token(.unknownKey))
        case .unavailable: .failure(.unavailable)
        case .fetch, .wait: nil
        }
    }
}
