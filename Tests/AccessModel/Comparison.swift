import AccessOracle

/// What was compared, and how often it came to what.
package struct Tally: Sendable, CustomStringConvertible {
    package private(set) var counts: [String: Int] = [:]

    package var comparisons: Int { counts.values.reduce(0, +) }

    mutating func note(_ what: String) { counts[what, default: 0] += 1 }

    package static func += (one: inout Tally, other: Tally) { one.counts.merge(other.counts, uniquingKeysWith: +) }

    package var description: String {
        "\(comparisons) comparisons: "
            + counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// Every answer that there is, to each kind of question.
    package static let everything: Set = [
        "connect admitted", "connect refused", "connect turned away", "subscribe granted", "subscribe refused",
        "publish granted", "publish refused", "receive granted", "receive refused",
    ]

    /// What was never seen.
    package var unseen: Set<String> { Tally.everything.subtracting(counts.keys) }
}

/// Plugin and oracle answer differently.
package struct Disagreement: Error, Sendable, CustomStringConvertible {
    package let seed: UInt64
    let history: [Event]
    let asked: String
    let expected: String
    let found: String

    package var description: String {
        """
        \(asked): the protocol says \(expected), the plugin \(found). History \(seed):
        \(history.map { "  \($0)" }.joined(separator: "\n"))
        """
    }
}

/// Histories that nobody has thought of, each from a number of its own, with questions after each event.
package struct RandomHistories: Sendable {
    private let seed: UInt64
    private let fault: Fault
    private let events: Int
    private let questions: Int

    package init(seed: UInt64, fault: Fault = .none, events: Int = 60, questions: Int = 8) {
        self.seed = seed
        self.fault = fault
        self.events = events
        self.questions = questions
    }

    /// How many comparisons one history has, or a few less: not every event is a CONNECT.
    package var comparisons: Int { events * questions }

    package func run(_ numbers: Range<Int>) throws(Disagreement) -> Tally {
        var tally = Tally()
        for number in numbers {
            try run(seed &+ UInt64(number) &* 0xD134_2543_DE82_EF95, &tally)
        }
        return tally
    }

    private func run(_ seed: UInt64, _ tally: inout Tally) throws(Disagreement) {
        var generator = Generator(seed: seed)
        var facts = Facts(now: 1_768_469_400)
        var subject = Subject(facts, fault: fault)
        var history: [Event] = []

        for event in generator.beginning(facts) {
            facts.apply(event)
            subject.apply(event, facts)
            history.append(event)
        }
        for _ in 0..<events {
            let event = generator.event(facts)
            history.append(event)
            if case .connected(let attempt) = event {
                let (expected, found) = (facts.admission(of: attempt), subject.signIn(attempt, facts))
                tally.note("connect \(found.words)")
                guard expected.contains(found) else {
                    throw Disagreement(
                        seed: seed, history: history, asked: "CONNECT",
                        expected: expected.map(\.words).sorted().joined(separator: " or "), found: found.words)
                }
            }
            facts.apply(event)
            subject.apply(event, facts)
            for _ in 0..<questions {
                let question = generator.question(facts)
                let (expected, found) = (facts.allows(question), subject.allows(question, facts))
                tally.note("\(question.verb) \(found ? "granted" : "refused")")
                guard expected == found else {
                    throw Disagreement(
                        seed: seed, history: history, asked: "\(question)", expected: expected ? "yes" : "no",
                        found: found ? "yes" : "no")
                }
            }
        }
    }
}

extension Admission {
    var words: String {
        switch self {
        case .admitted: "admitted"
        case .refused: "refused"
        case .turnedAway: "turned away"
        }
    }
}

extension Question {
    var verb: String {
        switch self {
        case .subscribe: "subscribe"
        case .publish: "publish"
        case .receive: "receive"
        }
    }
}
