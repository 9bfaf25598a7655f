import Foundation

extension Double {
    /// With `digits` digits behind the point.
    package func formatted(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}

extension Double? {
    /// Empty for `nil`.
    package func formatted(_ digits: Int) -> String { map { $0.formatted(digits) } ?? "" }
}

extension Spread? {
    /// The median, and the least and the most in parentheses.
    package func formatted(_ digits: Int) -> String {
        guard let self else { return "" }
        let (least, most) = (self.least.formatted(digits), self.most.formatted(digits))
        return "\(self.median.formatted(digits)) (\(least)–\(most))"
    }
}
