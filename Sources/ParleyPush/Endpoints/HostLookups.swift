import HTTPClient
import Platform
import Synchronization

/// Looks up names on threads of its own, for the call blocks for as long as the system's resolver takes.
final class HostLookups: Sendable {
    /// It may block.
    typealias Lookup = @Sendable (String) -> [IPAddress]

    /// How many names may be looked up at once: a resolver that does not answer holds one for some seconds.
    private static let threads = 16

    private struct Question {
        let host: String
        let answer: LookupAnswer
    }

    private struct State {
        var waiting: [Question] = []
        var threads = 0
        var isStopped = false
    }

    private let lookup: Lookup
    private let state = Mutex(State())

    init(_ lookup: @escaping Lookup) { self.lookup = lookup }

    /// What waits is not looked up any more. A thread ends when the resolver lets it.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            return exchange(&state.waiting, with: [])
        }
        for question in waiting { question.answer.resolve([]) }
    }

    /// - Returns: none also where the time is over, or the calling task cancelled, before the resolver answers.
    func addresses(of host: String, within limit: Duration) async -> [IPAddress] {
        let answer = LookupAnswer()
        guard ask(Question(host: host, answer: answer)) else { return [] }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await Task.sleep(for: limit)
                answer.resolve([])
            }
            let addresses = await answer.addresses
            group.cancelAll()
            return addresses
        }
    }

    /// - Returns: whether there will be an answer.
    private func ask(_ question: Question) -> Bool {
        let needsThread = state.withLock { state -> Bool? in
            guard !state.isStopped else { return nil }
            state.waiting.append(question)
            guard state.threads < HostLookups.threads else { return false }
            state.threads += 1
            return true
        }
        guard let needsThread else { return false }
        guard needsThread else { return true }
        do throws(SystemError) {
            // It ends when nothing waits any more.
            try LoopThread.detach(name: "parley-lookup") { [self] in work() }
        } catch {
            // Whoever waits has the limit of their time.
            state.withLock { $0.threads -= 1 }
        }
        return true
    }

    private func work() {
        while let question = next() {
            // Nobody waits for it any more: the resolver is spared.
            guard !question.answer.isResolved else { continue }
            // After its time it is no answer any more: the first one counts.
            question.answer.resolve(lookup(question.host))
        }
    }

    private func next() -> Question? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.threads -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}

/// What is found for one question: the first answer counts.
private final class LookupAnswer: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<[IPAddress], Never>)
        case resolved([IPAddress])
    }

    private let state = Mutex(State.open)

    var isResolved: Bool {
        state.withLock { state in
            switch state {
            case .open, .awaited: false
            case .resolved: true
            }
        }
    }

    /// For one who waits.
    var addresses: [IPAddress] {
        get async {
            await withCheckedContinuation { continuation in
                let found = state.withLock { state -> [IPAddress]? in
                    switch state {
                    case .resolved(let addresses): return addresses
                    case .open, .awaited:
                        state = .awaited(continuation)
                        return nil
                    }
                }
                if let found { continuation.resume(returning: found) }
            }
        }
    }

    func resolve(_ addresses: [IPAddress]) {
        let waiting = state.withLock { state -> CheckedContinuation<[IPAddress], Never>? in
            switch state {
            case .resolved: return nil
            case .open:
                state = .resolved(addresses)
                return nil
            case .awaited(let continuation):
                state = .resolved(addresses)
                return continuation
            }
        }
        waiting?.resume(returning: addresses)
    }
}
