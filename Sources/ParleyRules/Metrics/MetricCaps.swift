import ParleyProtocol

/// The most plausible values of a day. Higher ones are stored as reported, marked, and counted as these.
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

    /// The metrics above their caps.
    package func implausible(in values: MetricValues) -> [Metric] {
        Metric.allCases.filter { metric in values[metric].map { $0 > self[metric] } ?? false }
    }
}
