import Foundation
import RepeatableRandom
import Testing

/// A random number generator whose values can be had again.
///
/// Every test that tries random values takes them from here. The seed of a run is new each time; it is printed when it
/// is first used, so that it is known even of a run that traps or hangs, and tests marked `.seeded` name it when they
/// fail. `PARLEY_SEED=… swift test --filter …` repeats a run with the same values.
package struct Seeded: RandomNumberGenerator {
    package static let seed: UInt64 = {
        let name = "PARLEY_SEED"
        guard let text = ProcessInfo.processInfo.environment[name] else {
            let seed = UInt64.random(in: .min ... .max)
            print("\(name)=\(seed)")
            return seed
        }
        guard let seed = UInt64(text) else { fatalError("\(name) is no whole number from 0 to \(UInt64.max): \(text)") }
        return seed
    }()

    private var generator: SplitMix64

    /// The run's own values.
    ///
    /// - Parameter stream: tests and cases that run side by side take different ones.
    package init(stream: UInt64 = 0) {
        // Mixed, or a stream would be the one before it, less its first value.
        var mixed = SplitMix64(seed: Self.seed &+ stream &* 0xD134_2543_DE82_EF95)
        generator = SplitMix64(seed: mixed.next())
    }

    /// The same values for the same seed, in every run.
    package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    package mutating func next() -> UInt64 { generator.next() }

    package mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    package mutating func bytes(count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    package mutating func bytes(_ counts: ClosedRange<Int>) -> [UInt8] { bytes(count: number(counts)) }

    package mutating func element<Element>(_ elements: [Element]) throws -> Element {
        try #require(elements.randomElement(using: &self))
    }

    /// Text of plain and of troublesome characters: quotes, escapes, controls, several bytes, beyond the BMP. No byte
    /// order mark at its beginning: Foundation's reader, which tests compare with, drops it.
    package mutating func text(_ counts: ClosedRange<Int>) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<number(counts) {
            let ranges: [ClosedRange<UInt32>] = [
                0x20...0x7E, 0x01...0x1F, 0x22...0x22, 0x5C...0x5C, 0x2F...0x2F, 0x7F...0x9F, 0xA0...0x7FF,
                0x300...0x36F, 0x800...0xD7FF, 0xE000...0xFFFF, 0x2028...0x2029, 0x10000...0x10FFFF,
            ]
            let range = chance(0.5) ? ranges[0] : ranges.randomElement(using: &self) ?? ranges[0]
            guard let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) else { continue }
            if scalar != "\u{FEFF}" || !text.isEmpty { text.append(scalar) }
        }
        return String(text)
    }
}

extension Trait where Self == IssueHandlingTrait {
    /// Adds the seed of the run to whatever fails.
    package static var seeded: Self {
        .compactMapIssues { issue in
            var issue = issue
            issue.comments.append("PARLEY_SEED=\(Seeded.seed)")
            return issue
        }
    }
}
