import Foundation
import Testing

/// A random number generator whose values can be had again (SplitMix64).
///
/// The seed is new for each run; `PARLEY_SEED` sets it. Tests marked `.seeded` say it when they fail.
struct SeededGenerator: RandomNumberGenerator {
    static let seed: UInt64 =
        ProcessInfo.processInfo.environment["PARLEY_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: .min ... .max)

    private var state: UInt64

    /// - Parameter stream: tests and cases that run side by side take different ones.
    init(stream: UInt64) { state = Self.seed &+ stream &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}

extension Trait where Self == IssueHandlingTrait {
    /// Adds the seed of the run to whatever fails.
    static var seeded: Self {
        .compactMapIssues { issue in
            var issue = issue
            issue.comments.append("PARLEY_SEED=\(SeededGenerator.seed)")
            return issue
        }
    }
}
