import ParleyProtocol

/// The names that are being resolved, and those that wait.
struct LookupQueue {
    private struct Question {
        let user: UserID
        let answer: HostLookups.Answer
    }

    private struct Lookup {
        var questions: [Question] = []
        /// The user whose threads it counts against; `nil` while it waits.
        var holder: UserID?
    }

    enum Asked {
        case stopped
        /// The threads that run are enough.
        case queued
        /// Another thread is needed, which asks for ``next()``.
        case needsThread
    }

    private let threads: Int
    /// The most threads that names of one user hold.
    private let mostOfUser: Int
    private var running = 0
    private var lookups: [String: Lookup] = [:]
    /// Names that wait, in their order.
    private var waiting: [String] = []
    /// How many threads each user's names hold.
    private var held: [UserID: Int] = [:]
    private var isStopped = false

    init(threads: Int) {
        self.threads = threads
        mostOfUser = max(1, threads / 4)
    }

    /// Asks for a name, which may be under way already.
    mutating func ask(_ host: String, for user: UserID, _ answer: HostLookups.Answer) -> Asked {
        guard !isStopped else { return .stopped }
        let isNew = lookups[host] == nil
        lookups[host, default: Lookup()].questions.append(Question(user: user, answer: answer))
        if isNew { waiting.append(host) }
        guard running < threads, waiting.contains(where: { asker(of: $0) != nil }) else { return .queued }
        running += 1
        return .needsThread
    }

    /// The next name for a thread to resolve. Without one the thread ends.
    mutating func next() -> String? {
        for (index, host) in waiting.enumerated() {
            guard let user = asker(of: host) else { continue }
            waiting.remove(at: index)
            lookups[host]?.holder = user
            held[user, default: 0] += 1
            return host
        }
        threadEnded()
        return nil
    }

    /// Removes a name that was resolved.
    ///
    /// - Returns: those who wait for it.
    mutating func finish(_ host: String) -> [HostLookups.Answer] {
        guard let lookup = lookups.removeValue(forKey: host), let user = lookup.holder else { return [] }
        let left = (held[user] ?? 1) - 1
        held[user] = left > 0 ? left : nil
        return lookup.questions.map(\.answer)
    }

    /// Removes a question. A name for which nobody waits is not resolved.
    mutating func giveUp(_ host: String, _ answer: HostLookups.Answer) {
        guard var lookup = lookups[host] else { return }
        lookup.questions.removeAll { $0.answer == answer }
        lookups[host] = lookup
        guard lookup.questions.isEmpty, lookup.holder == nil else { return }
        lookups[host] = nil
        waiting.removeAll { $0 == host }
    }

    /// A thread has ended, or could not be started.
    mutating func threadEnded() { running -= 1 }

    /// Resolves no further name.
    ///
    /// - Returns: those who wait in vain.
    mutating func stop() -> [HostLookups.Answer] {
        isStopped = true
        let answers = waiting.flatMap { lookups.removeValue(forKey: $0)?.questions ?? [] }.map(\.answer)
        waiting = []
        return answers
    }

    /// A user who asks for the name and may hold another thread.
    private func asker(of host: String) -> UserID? {
        lookups[host]?.questions.lazy.map(\.user).first { held[$0] ?? 0 < mostOfUser }
    }
}
