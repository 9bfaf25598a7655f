import Foundation
import Testing

/// The short form of the tests, which is what `swift test` runs, or the whole, which `scripts/test.sh --everything`
/// runs by `PARLEY_TESTS=everything`.
package enum TestForm {
    static let isWhole: Bool = {
        let name = "PARLEY_TESTS"
        switch ProcessInfo.processInfo.environment[name] {
        case nil: return false
        case "everything": return true
        case let other?: fatalError("\(name) is \(other), and can only be \"everything\"")
        }
    }()

    /// How many of what is tried again and again: histories, sequences, rounds.
    package static func count(short: Int, whole: Int) -> Int { isWhole ? whole : short }

    /// All cases in the whole form; in the short one the first and then each so many, so that a run meets every kind.
    package static func cases<Case>(_ all: [Case], shortEach step: Int) -> [Case] {
        isWhole ? all : stride(from: 0, to: all.count, by: step).map { all[$0] }
    }
}

extension Trait where Self == ConditionTrait {
    /// What takes long and has a shorter relative: it is skipped, and counted as such, in the short form.
    package static var wholeForm: Self { .enabled(if: TestForm.isWhole, "scripts/test.sh --everything runs it") }
}
