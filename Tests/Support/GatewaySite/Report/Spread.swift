/// The middle of a few measurements, and how far they lie apart.
package struct Spread: Equatable {
    package let least: Double
    package let median: Double
    package let most: Double

    /// - Returns: `nil` of nothing.
    package init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        least = first
        most = last
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

extension [Int64] {
    /// The value below which the given share lies, of an ascending list.
    package func percentile(_ share: Double) -> Int64? {
        guard !isEmpty else { return nil }
        return self[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
