import ParleyClient
import ParleyProtocol

extension Challenge {
    /// What it is about: `50000 steps in 7 days`.
    var aim: String { type.aim(target, days: durationDays) }

    /// What has become of it.
    var standing: String {
        switch (status, outcome) {
        case (.known(.completed), .known(.won)?): winner.map { "won by \($0)" } ?? "won"
        case (.known(.completed), .known(.tied)?): "tied"
        case (.known(.completed), .known(.void)?): "void"
        default: status.name
        }
    }

    /// How far the two have come: `alice 5000, bob 7000`.
    var score: String {
        [challenger, challenged].map { "\($0) \(progress[$0] ?? 0)" }.joined(separator: ", ")
    }

    /// A sentence for people.
    var sentence: String {
        let start = "challenge \(id): \(challenger) and \(challenged), \(aim): \(standing)"
        return acceptedAt == nil ? start : "\(start), \(score)"
    }

    /// What a chat shows of it: that it is new, was answered or has ended; `nil` where somebody has but come further.
    var chatLine: String? {
        guard status == .known(.active) else { return sentence }
        return progress.values.allSatisfy { $0 == 0 } ? sentence : nil
    }
}

extension ChallengeCard {
    /// What it is about, as the challenge says it.
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
