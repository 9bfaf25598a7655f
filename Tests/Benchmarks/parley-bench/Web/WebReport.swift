import GatewaySite

/// The tables of a measurement of the door.
struct WebReport {
    private var closed = Table(
        ["closed loop", "requests/s", "p50 ms", "p99 ms", "CPU µs: door", "gateway", "broker"], names: 1)
    private var open = Table(
        ["requests a second", "what", "count", "p50 ms", "p99 ms", "longest", "door's CPU", "all CPU"], names: 2)
    private var memory: [String] = []
    /// Megabytes of the door.
    var most = 0.0

    mutating func addMemory(before: Double, after: Double, _ sockets: Int) {
        let each = (after - before) * 1000 / Double(sockets)
        memory.append(
            "memory of the door: \(before.formatted(0)) MB, with \(sockets) WebSockets \(after.formatted(0)) MB, "
                + "\(each.formatted(0)) KB each")
    }

    mutating func addClosed(_ name: String, _ outcome: WebOutcome) {
        let times = outcome.posts + outcome.pages
        let count = Double(max(1, times.count))
        closed.rows.append([
            name, (Double(times.count) / outcome.seconds).formatted(0),
            WebOutcome.milliseconds(times, 0.5).formatted(2), WebOutcome.milliseconds(times, 0.99).formatted(2),
            (outcome.usage.door * 1e6 / count).formatted(0), (outcome.usage.gateway * 1e6 / count).formatted(0),
            (outcome.usage.broker * 1e6 / count).formatted(0),
        ])
    }

    mutating func addOpen(posts: Int, pages: Int, _ outcome: WebOutcome) {
        let usage = outcome.usage
        let all = usage.door + usage.gateway + usage.broker + usage.apps
        let rows = [
            ("POST to response", outcome.posts), ("POST until heard", outcome.deliveries),
            ("page to response", outcome.pages),
        ]
        for (name, times) in rows {
            open.rows.append([
                "\(posts) + \(pages)", name, "\(times.count)", WebOutcome.milliseconds(times, 0.5).formatted(2),
                WebOutcome.milliseconds(times, 0.99).formatted(2), (Double(times.max() ?? 0) / 1e6).formatted(0),
                "\((usage.door / outcome.seconds).formatted(2)) cores",
                "\((all / outcome.seconds).formatted(2)) cores",
            ])
        }
    }

    func text(_ style: Table.Style) -> String {
        let lines = (memory + ["at most \(most.formatted(0)) MB"]).joined(separator: "; ")
        return [closed.text(style), open.text(style), lines].joined(separator: "\n\n")
    }
}
