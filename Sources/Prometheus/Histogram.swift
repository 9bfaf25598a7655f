import Synchronization

/// How many values were within each of fixed bounds, and their sum. Recording takes no memory and no lock.
package final class Histogram: Sendable {
    /// Whole numbers, or microseconds that are shown as seconds.
    package enum Unit: Sendable {
        case one
        case microseconds

        var perOne: Double {
            switch self {
            case .one: 1
            case .microseconds: 1_000_000
            }
        }
    }

    /// A copy of the counts.
    package struct Reading: Hashable, Sendable {
        /// How many values were at most each bound, and last how many there are.
        package let cumulative: [Int]
        package let sum: Double

        package var count: Int { cumulative.last ?? 0 }
    }

    /// The greatest value that each bucket but the last counts, ascending.
    let bounds: [Int]
    private let unit: Unit
    /// One more than there are bounds.
    private let counts: [Count]
    private let sum = Count()

    /// - Parameter bounds: in the unit, ascending.
    package init(_ bounds: [Int], in unit: Unit = .one) {
        self.bounds = bounds
        self.unit = unit
        counts = (0...bounds.count).map { _ in Count() }
    }

    /// Records a value.
    ///
    /// - Parameter times: how often.
    package func record(_ value: Int, times: Int = 1) {
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        counts[bucket].add(times)
        sum.add(value &* times)
    }

    /// Records a time in microseconds, a negative one as none.
    package func record(_ time: Duration, times: Int = 1) {
        let (seconds, attoseconds) = time.components
        record(max(0, Int(clamping: seconds) &* 1_000_000 &+ Int(attoseconds / 1_000_000_000_000)), times: times)
    }

    package var reading: Reading {
        var total = 0
        let cumulative = counts.map { count in
            total += count.current
            return total
        }
        return Reading(cumulative: cumulative, sum: Double(sum.current) / unit.perOne)
    }

    /// The bounds as they are shown.
    var shownBounds: [Double] { bounds.map { Double($0) / unit.perOne } }
}

/// A number that threads change without waiting for each other.
private final class Count: Sendable {
    private let value = Atomic<Int>(0)

    func add(_ amount: Int) { value.wrappingAdd(amount, ordering: .relaxed) }
    var current: Int { value.load(ordering: .relaxed) }
}
