import Platform
import Oracles

/// What ends the model: something that must not be, told as a story.
protocol Finding: Error, CustomStringConvertible {}

extension DisagreementError: Finding {}
extension Secrecy.RevealedError: Finding {}
extension AccessComparison.DifferenceError: Finding {}
extension BoardComparison.DifferenceError: Finding {}

/// All that is compared, one after the other, each with its figures.
struct Stages {
    let depth: Int
    let histories: Int
    let length: Int
    let questions: Int
    let boards: Int
    let seed: UInt64

    /// A verdict that was never compared, or a planted fault that was not found.
    struct Blindness: Finding {
        let description: String
    }

    func run() async throws {
        let states = try await stage("two people, every event in every state there is") {
            var states = MergedStates(people: 2)
            try states.run()
            return (states, try seeing("\(states.states.count.grouped) states", states.tally))
        }
        try await stage("what the blocked and the declined can find out by 3 events") {
            var secrecy = Secrecy(depth: 3)
            try secrecy.check(states.states.indices.map(states.events))
            return ((), secrecy.description)
        }
        try await stage("two people, every order of \(depth) events, none merged") {
            let orders = OrderedHistories(depth: depth)
            let tally = try await sum(orders.beginnings) { try orders.run(from: [$0]) }
            return ((), tally.description)
        }
        let unmerged = min(depth, 4)
        try await stage("three people, every order of \(unmerged) events, none merged") {
            let orders = OrderedHistories(people: 3, depth: unmerged)
            let tally = try await sum(orders.beginnings) { try orders.run(from: [$0]) }
            return ((), tally.description)
        }
        try await stage("three people, every order of \(depth) events, by states") {
            var states = MergedStates(people: 3)
            try states.run(depth: depth)
            return ((), "\(states.states.count.grouped) states, \(states.tally)")
        }
        try await stage("random histories of \(length) events, seed \(seed)") {
            let random = RandomHistories(seed: seed, length: length)
            let shares = stride(from: 0, to: histories, by: 10_000).map { $0..<min($0 + 10_000, histories) }
            let tally = try await sum(shares, random.run)
            return ((), try seeing("\(histories.grouped) histories", tally))
        }
        try await stage("planted faults") { ((), try foundFaults()) }
        try await runRights()
        try await runBoards()
    }

    /// Who may publish, subscribe to and receive what.
    func runRights() async throws {
        try await stage("random questions of rights, seed \(seed)") {
            var comparison = AccessComparison(seed: seed)
            return ((), try comparison.run(questions: questions).description)
        }
        try await stage("planted faults of rights") { ((), try foundFaultsOfRights()) }
    }

    /// What stands on the boards of groups, beside an oracle that goes from day to day.
    func runBoards() async throws {
        try await stage("random histories of boards, seed \(seed)") {
            let comparison = BoardComparison(seed: seed)
            let shares = stride(from: 0, to: boards, by: 500).map { $0..<min($0 + 500, boards) }
            let tally = try await sum(shares, from: BoardComparison.Tally(), +=, comparison.run)
            guard tally.unseen.isEmpty else { throw Blindness(description: "never compared: \(tally.unseen)") }
            return ((), tally.description)
        }
        try await stage("planted faults of boards") {
            for fault in BoardComparison.Fault.allCases {
                do { _ = try BoardComparison(seed: seed, fault: fault).run(0..<2_000) } catch { continue }
                throw Blindness(description: "not found by 2,000 histories: \(fault)")
            }
            return ((), "\(BoardComparison.Fault.allCases.count) of \(BoardComparison.Fault.allCases.count) found")
        }
    }

    /// Runs what is said, and says what came of it and how long it took.
    private func stage<Result>(_ what: String, _ body: () async throws -> (Result, String)) async throws -> Result {
        Progress.say(what)
        let clock = ContinuousClock()
        let begun = clock.now
        let (result, figures) = try await body()
        let tenths = (clock.now - begun) / .milliseconds(100)
        Progress.clear()
        print("\(what): \(figures) (\(Int(tenths) / 10).\(Int(tenths) % 10) s)")
        // At once, also into a file: a crash must not take it along.
        fflush(nil)
        return result
    }

    /// Shares the work out to the processors.
    private func sum<Share: Sendable>(
        _ shares: [Share], _ body: @escaping @Sendable (Share) throws -> Tally
    ) async throws -> Tally {
        try await sum(shares, from: Tally(), +=, body)
    }

    private func sum<Share: Sendable, Figures: Sendable>(
        _ shares: [Share], from nothing: Figures, _ add: (inout Figures, Figures) -> Void,
        _ body: @escaping @Sendable (Share) throws -> Figures
    ) async throws -> Figures {
        try await withThrowingTaskGroup(of: Figures.self) { group in
            for share in shares { group.addTask { try body(share) } }
            var (tally, done) = (nothing, 0)
            for try await part in group {
                add(&tally, part)
                done += 1
                Progress.say("\(done) of \(shares.count)")
            }
            return tally
        }
    }

    private func seeing(_ what: String, _ tally: Tally) throws -> String {
        guard tally.unseen.isEmpty else { throw Blindness(description: "never compared: \(tally.unseen)") }
        return "\(what), \(tally)"
    }

    private func foundFaultsOfRights() throws -> String {
        for fault in AccessComparison.Fault.allCases {
            do {
                var comparison = AccessComparison(seed: seed, fault: fault)
                _ = try comparison.run(questions: 200_000)
            } catch { continue }
            throw Blindness(description: "not found by 200,000 questions: \(fault)")
        }
        return "\(AccessComparison.Fault.allCases.count) of \(AccessComparison.Fault.allCases.count) found"
    }

    private func foundFaults() throws -> String {
        var longest = 0
        for mutant in Mutant.all {
            do {
                _ = try RandomHistories(seed: seed, length: length, engine: mutant.engine).run(0..<10_000)
            } catch {
                longest = max(longest, error.events.count)
                continue
            }
            throw Blindness(description: "not found in 10,000 random histories: \(mutant)")
        }
        return "\(Mutant.all.count) of \(Mutant.all.count) found, the longest story has \(longest) events"
    }
}

/// A line that is written over, where somebody looks at it.
private enum Progress {
    static func say(_ what: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        write("\r\u{1B}[K\(what) …")
    }

    static func clear() {
        if isatty(STDERR_FILENO) == 1 { write("\r\u{1B}[K") }
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in _ = unsafe Platform.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
}
