import ParleyProtocol

extension PushExplanation {
    /// The decision of then, its pushes, and the decision of now with the facts in their order; the first that holds
    /// decides and is marked.
    func lines(in zone: TimeZone) -> [String] {
        let time = decidedAt.map { " (\(zone.civil($0).stamp))" } ?? ""
        var lines = ["message \(message), \(user): \(name(verdict))\(time)", verdict.says.printable]
        if !pushes.isEmpty { lines += [""] + pushes.table(in: zone) }
        lines += ["", "now: \(name(now)); \(now.says.printable)"]
        var table = Table(headings: ["", "FACT", "HOLDS", "FOUND"])
        var isDecided = false
        for fact in facts {
            let decides = fact.holds && !isDecided
            isDecided = isDecided || decides
            table.add([decides ? "→" : "", fact.fact, fact.holds ? "yes" : "no", fact.detail])
        }
        return lines + (facts.isEmpty ? [] : table.lines)
    }

    private func name(_ verdict: PushVerdict) -> String {
        (verdict.decision + (verdict.reason.map { " (\($0))" } ?? "")).printable
    }
}
