import ParleyProtocol

/// Which names are looked up, and which wait for that: a value, whose owner has the threads.
struct LookupQueue {
    /// Who asks for a name.
    private struct Question {
        let user: UserID
        let answer: HostLookups.Answer
    }

    private struct Lookup {
        var questions: [Question] = []
        /// Whose names it counts for while it is under way; `nil` while it waits.
        var holder: UserID?
    }

    enum Asked {
        case stopped
        /// There are threads enough.
        case queued
        /// One more thread is to ask for what is ``next()``.
        case needsThread
    }

    private let threads: Int
    /// How many threads the names of one user hold at most.
    private let mostOfUser: Int
    private var running = 0
    private var lookups: [String: Lookup] = [:]
    /// Names that wait, the first to come first.
    private var waiting: [String] = []
    /// How many names of each user are being looked up.
    private var held: [UserID: Int] = [:]
    private var isStopped = false

    init(threads: Int) {
        self.threads = threads
        mostOfUser = max(1, threads / 4)
    }

    /// Somebody asks for a name, which may be looked up already.
    mutating func ask(_ host: String, for user: UserID, _ answer: HostLookups.Answer) -> Asked {
        guard !isStopped else { return .stopped }
        let isNew = lookups[host] == nil
        lookups[host, default: Lookup()].questions.append(Question(user: user, answer: answer))
        if isNew { waiting.append(host) }
        guard running < threads, waiting.contains(where: { asker(of: $0) != nil }) else { return .queued }
        running += 1
        return .needsThread
    }

    /// The name that a thread is to look up now; where there is none, that thread ends.
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

    /// A name was looked up.
    ///
    /// - Returns: who is to be told.
    mutating func finish(_ host: String) -> [HostLookups.Answer] {
        guard let lookup = lookups.removeValue(forKey: host), let user = lookup.holder else { return [] }
        let left = (held[user] ?? 1) - 1
        held[user] = left > 0 ? left : nil
        return lookup.questions.map(\.answer)
    }

    /// Somebody waits no more. What nobody waits for is not begun.
    mutating func giveUp(_ host: String, _ answer: HostLookups.Answer) {
        guard var lookup = lookups[host] else { return }
        lookup.questions.removeAll { $0.answer == answer }
        lookups[host] = lookup
        guard lookup.questions.isEmpty, lookup.holder == nil else { return }
        lookups[host] = nil
        waiting.removeAll { $0 == host }
    }

    /// A thread has ended, or could not be had.
    mutating func threadEnded() { running -= 1 }

    /// Nothing is begun any more.
    ///
    /// - Returns: who is to be told that they wait in vain.
    mutating func stop() -> [HostLookups.Answer] {
        isStopped = true
        let answers = waiting.flatMap { lookups.removeValue(forKey: $0)?.questions ?? [] }.map(\.answer)
        waiting = []
        return answers
    }

    /// One of those who ask for it who may have one more name looked up.
    private func asker(of host: String) -> UserID? {
        lookups[host]?.questions.lazy.map(\.user).first { held[$0] ?? 0 < mostOfUser }
    }
}
