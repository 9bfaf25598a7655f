import GatewaySite

/// The figures of one trial of cells.
struct TrialSummary {
    let name: String
    let rounds: Int
    let records: Int
    let counts: Talker.Counts
    /// From each disturbance until each device had an answer to something that it sent later.
    let waits: [(wait: Int64, isNew: Bool)]
    /// How often a device got no such answer at all.
    let unserved: Int
    let findings: Findings

    /// - Parameter limit: how long a device may wait, in nanoseconds.
    func isPassed(limit: Int64?) -> Bool {
        findings.isEmpty && unserved == 0 && counts.answered > 0
            && (limit.map { limit in waits.allSatisfy { $0.wait < limit } } ?? true)
    }

    static let header = [
        "trial", "rounds", "answered", "records", "lost", "double", "holes", "otherwise", "unheard", "faults",
        "repeats", "connections", "moved p50, s", "p99", "most", "all, most",
    ]

    var row: [String] {
        let moved = waits.filter(\.isNew).map(\.wait).sorted()
        let all = waits.map(\.wait).sorted()
        func seconds(_ nanoseconds: Int64?) -> String { nanoseconds.map { (Double($0) / 1e9).formatted(2) } ?? "" }
        return [name, "\(rounds)", "\(counts.answered)", "\(records)"]
            + Findings.Kind.allCases.map { "\(findings[$0])" } + [
                "\(counts.repeats)", "\(counts.connections)", seconds(moved.percentile(0.5)),
                seconds(moved.percentile(0.99)), seconds(moved.last), seconds(all.last),
            ]
    }
}

extension TrialSummary {
    func adding(_ findings: Findings) -> TrialSummary {
        var all = self.findings
        all.add(findings)
        return TrialSummary(
            name: name, rounds: rounds, records: records, counts: counts, waits: waits, unserved: unserved,
            findings: all)
    }
}
