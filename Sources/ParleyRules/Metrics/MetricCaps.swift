import ParleyProtocol

/// The most of each that a day is believed to have. More is kept as it was reported, marked, and counted as this much.
package struct MetricCaps: Hashable, Sendable {
    package let steps: Int
    package let calories: Int
    package let exerciseMinutes: Int

    package init(steps: Int, calories: Int, exerciseMinutes: Int) {
        (self.steps, self.calories, self.exerciseMinutes) = (steps, calories, exerciseMinutes)
    }

    package subscript(_ metric: Metric) -> Int {
        switch metric {
        case .steps: steps
        case .calories: calories
        case .exerciseMinutes: exerciseMinutes
        }
    }

    /// What of a day is more than that.
    package func implausible(in values: MetricValues) -> [Metric] {
        Metric.allCases.filter { metric in values[metric].map { $0 > self[metric] } ?? false }
    }
}
