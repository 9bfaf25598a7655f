import ParleyProtocol

/// The most of each that a day is believed to have. More is kept as it was reported, marked, and counted as this much.
public struct MetricCaps: Hashable, Sendable {
    public let steps: Int
    public let calories: Int
    public let exerciseMinutes: Int

    public init(steps: Int, calories: Int, exerciseMinutes: Int) {
        self.steps = steps
        self.calories = calories
        self.exerciseMinutes = exerciseMinutes
    }

    public subscript(_ metric: Metric) -> Int {
        switch metric {
        case .steps: steps
        case .calories: calories
        case .exerciseMinutes: exerciseMinutes
        }
    }

    /// What of a day is more than that.
    public func implausible(in values: MetricValues) -> [Metric] {
        Metric.allCases.filter { metric in values[metric].map { $0 > self[metric] } ?? false }
    }
}
