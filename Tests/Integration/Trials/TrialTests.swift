import Launch
import Foundation
import TestSupport
import Testing

/// Removals, blocks and revocations at random moments under load. A few here; 1,000 by `scripts/trials.sh`, which runs
/// the same.
@Suite("Trials", .ownThreads, .serialized, .seeded)
struct TrialTests {
    @Test("nothing that is published later reaches who was cut off, live or queued")
    func cut() throws {
        let outcome = try trials("--trials", "30")
        #expect(outcome.status == 0, "\(outcome.errors)\(outcome.output)")
    }

    @Test("where nobody is cut off, every trial sees it")
    func withoutCut() throws {
        let outcome = try trials("--trials", "10", "--without-cut")
        #expect(outcome.status == 0, "\(outcome.errors)\(outcome.output)")
    }

    private func trials(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        let scratch = "\(NSTemporaryDirectory())/parley-trials-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let child = try ChildProcess(
            Programs.path("parley-trials"),
            [
                "--seed", "\(Seeded.seed % 1_000_000_000)", "--template", Programs.brokerTemplate,
                "--scratch", scratch,
            ] + arguments, directory: scratch,
            output: scratch + "/out", errors: scratch + "/err")
        let status = child.waitUntilEnded()
        let texts = try ["/out", "/err"].map { try String(contentsOfFile: scratch + $0, encoding: .utf8) }
        for line in texts[0].split(separator: "\n") where line.hasPrefix("seed") { print("trials: \(line)") }
        return (status, texts[0], texts[1])
    }
}
