import GatewaySite

/// The outcomes of a run of trials, by kinds of cuts.
struct TrialReport {
    private let outcomes: [TrialOutcome]

    init(_ outcomes: [TrialOutcome]) { self.outcomes = outcomes }

    /// The events that reached a device after the cut, in words.
    var breaches: [String] {
        outcomes.flatMap { outcome in outcome.breaches.map { "\(outcome.cut.label): \($0)" } }
    }

    /// Why a run tells nothing: there must have been something to keep from those who were cut off. In every trial they
    /// had heard events before, and the others heard messages later, and in the run receipts and typing too. After a
    /// block nothing is published at all.
    var gaps: [String] {
        let open = outcomes.filter { $0.cut != .block }
        let later = sum(open)
        var gaps: [String] = []
        for outcome in outcomes where outcome.heardLive == 0 {
            gaps.append("\(outcome.cut.label): nothing heard before")
        }
        for outcome in open where outcome.laterHeardByOthers.records == 0 {
            gaps.append("\(outcome.cut.label): no later message heard by others")
        }
        if !open.isEmpty, later.receipts == 0 { gaps.append("no later receipt heard by others") }
        if !open.isEmpty, later.typing == 0 { gaps.append("no later typing heard by others") }
        return gaps
    }

    var table: Table {
        var table = Table(
            [
                "cut", "trials", "messages", "kept back", "reached them", "effect p50, ms", "p99", "most",
                "after the reply p99, ms", "most",
            ], names: 1)
        for cut in Cut.allCases {
            let rows = outcomes.filter { $0.cut == cut }
            if !rows.isEmpty { table.rows.append(row(cut.label, rows)) }
        }
        table.rows.append(row("all", outcomes))
        return table
    }

    private func row(_ label: String, _ outcomes: [TrialOutcome]) -> [String] {
        let effects = outcomes.compactMap(\.effect).sorted()
        let rests = outcomes.compactMap(\.effectAfterReply).sorted()
        return [
            label, "\(outcomes.count)", "\(outcomes.reduce(0) { $0 + $1.messages })", "\(sum(outcomes).sum)",
            "\(outcomes.reduce(0) { $0 + $1.breaches.count })", milliseconds(effects.percentile(0.5)),
            milliseconds(effects.percentile(0.99)), milliseconds(effects.last), milliseconds(rests.percentile(0.99)),
            milliseconds(rests.last),
        ]
    }

    private func sum(_ outcomes: [TrialOutcome]) -> EventCounts {
        outcomes.reduce(into: EventCounts()) { $0 += $1.laterHeardByOthers }
    }

    private func milliseconds(_ nanoseconds: Int64?) -> String {
        nanoseconds.map { (Double($0) / 1e6).formatted(1) } ?? ""
    }
}
