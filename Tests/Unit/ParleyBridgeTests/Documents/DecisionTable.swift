/// One fact that a rule decides by, and every value that it can have.
struct DecisionFeature<Facts> {
    let name: String
    let values: [(name: String, set: @Sendable (inout Facts) -> Void)]
}

/// A line of a table of decisions: of each fact the values for which it holds.
struct DecisionRow<Decision: Hashable>: Hashable {
    var values: [[String]]
    let decision: Decision

    /// A cell for each fact: empty where it changes nothing.
    func cells<Facts>(of features: [DecisionFeature<Facts>]) -> [String] {
        zip(features, values).map { $1.count == $0.values.count ? "" : $1.joined(separator: ", ") }
    }

    /// The decisions for every value of these facts; values that change nothing stand together.
    static func rows<Facts>(
        _ features: ArraySlice<DecisionFeature<Facts>>, given facts: Facts, decide: (Facts) -> Decision
    ) -> [DecisionRow] {
        guard let feature = features.first else { return [DecisionRow(values: [], decision: decide(facts))] }
        var groups: [(names: [String], rows: [DecisionRow])] = []
        for value in feature.values {
            var next = facts
            value.set(&next)
            let rows = rows(features.dropFirst(), given: next, decide: decide)
            if let index = groups.firstIndex(where: { $0.rows == rows }) {
                groups[index].names.append(value.name)
            } else {
                groups.append(([value.name], rows))
            }
        }
        return groups.flatMap { names, rows in
            rows.map { DecisionRow(values: [names] + $0.values, decision: $0.decision) }
        }
    }
}
