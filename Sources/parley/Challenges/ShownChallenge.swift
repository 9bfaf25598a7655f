import ParleyClient
import ParleyProtocol

extension Challenge {
    /// The aim: `50000 steps in 7 days`.
    var aim: String { type.aim(target, days: durationDays) }

    /// The status, and once it has ended, the outcome.
    var standing: String {
        switch (status, outcome) {
        case (.known(.completed), .known(.won)?): winner.map { "won by \($0)" } ?? "won"
        case (.known(.completed), .known(.tied)?): "tied"
        case (.known(.completed), .known(.void)?): "void"
        default: status.name
        }
    }

    /// The progress of the two: `alice 5000, bob 7000`.
    var score: String {
        [challenger, challenged].map { "\($0) \(progress[$0] ?? 0)" }.joined(separator: ", ")
    }

    /// A sentence for people.
    var sentence: String {
        let start = "challenge \(id.short): \(challenger) and \(challenged), \(aim): \(standing)"
        return acceptedAt == nil ? start : "\(start), \(score)"
    }

    /// The line that a chat shows when it is new, is answered or ends; `nil` for mere progress.
    var chatLine: String? {
        guard status == .known(.active) else { return sentence }
        return progress.values.allSatisfy { $0 == 0 } ? sentence : nil
    }
}

extension ChallengeCard {
    /// The aim, in the words of ``Challenge/aim``.
    var aim: String { challengeType.aim(target, days: durationDays) }
}

extension Named<ChallengeType> {
    fileprivate func aim(_ target: Int, days: Int) -> String {
        func count(_ number: Int, _ thing: String) -> String { number == 1 ? "1 \(thing)" : "\(number) \(thing)s" }
        let days = count(days, "day")
        switch self {
        case .known(.steps): return "\(count(target, "step")) in \(days)"
        case .known(.calories): return "\(count(target, "calorie")) in \(days)"
        case .known(.workoutCount): return "\(count(target, "workout")) in \(days)"
        case .known(.streak): return "a streak of \(target) in \(days)"
        case .unknown(let name): return "\(target) \(name) in \(days)"
        }
    }
}
