import ParleyClient
import Platform

/// Shows on standard error how far a file has come: a bar on a terminal, else a line for each tenth.
struct ProgressMeter {
    private let isOnTerminal = isatty(STDERR_FILENO) == 1
    private var shown = ""

    mutating func show(_ progress: FileProgress) {
        let text = isOnTerminal ? progress.bar(columns: 30) : progress.tenth
        guard text != shown else { return }
        if isOnTerminal { Terminal.redrawReport(text) } else { Terminal.report(text) }
        shown = text
    }

    /// Ends the bar, before something else is written.
    mutating func end() {
        if isOnTerminal, !shown.isEmpty { Terminal.endReport() }
        shown = ""
    }

    /// Runs `body`, and shows what it reports.
    static func showing<Value: Sendable>(
        _ body: (_ report: @escaping @Sendable (FileProgress) -> Void) async throws -> Value
    ) async throws -> Value {
        // Only the newest counts.
        let (steps, post) = AsyncStream.makeStream(of: FileProgress.self, bufferingPolicy: .bufferingNewest(1))
        async let end: Void = {
            var meter = ProgressMeter()
            for await step in steps { meter.show(step) }
            meter.end()
        }()
        let result: Result<Value, any Error>
        do { result = .success(try await body { post.yield($0) }) } catch { result = .failure(error) }
        post.finish()
        await end
        return try result.get()
    }
}

extension FileProgress {
    /// From 0 to 1.
    private var fraction: Double { total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1 }

    /// Such as `████░░░░ 50 % of 1.2 MB`, with so many columns of blocks.
    func bar(columns: Int) -> String {
        let full = Int(fraction * Double(columns))
        let blocks = String(repeating: "█", count: full) + String(repeating: "░", count: columns - full)
        return "\(blocks) \(Int(fraction * 100)) % of \(ByteCount(total))"
    }

    fileprivate var tenth: String { "\(Int(fraction * 10) * 10) % of \(total) bytes" }
}

/// A number of bytes, for people: `999 bytes`, `1.2 MB`.
struct ByteCount: CustomStringConvertible {
    private let count: Int

    private static let units = ["kB", "MB", "GB", "TB", "PB"]

    init(_ count: Int) { self.count = count }

    var description: String {
        guard count >= 1000 else { return count == 1 ? "1 byte" : "\(count) bytes" }
        var (unit, tenths) = (0, count / 100)
        // Rounded down, so that no unit is ever shown as a thousand of the smaller.
        while tenths >= 10_000, unit < ByteCount.units.count - 1 {
            tenths /= 1000
            unit += 1
        }
        let rest = tenths < 100 ? ".\(tenths % 10)" : ""
        return "\(tenths / 10)\(rest) \(ByteCount.units[unit])"
    }
}
