import AccessOracle
import ArgumentParser

@main
struct AccessModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley-access-model",
        abstract: "Compare the rights that the broker's plugin gives with an oracle made from the words of the protocol.",
        discussion: """
            Ends with status 1 and the history after which the two disagree; also if it misses a fault that it has \
            planted between the broker and the plugin.
            """)

    @Option(help: "How many comparisons.")
    var comparisons = 1_000_000

    @Option(help: "For the random histories; without it each run has its own.")
    var seed: UInt64?

    func validate() throws {
        guard comparisons >= 1 else { throw ValidationError("the numbers are of 1 and more") }
    }

    func run() async throws {
        let seed = seed ?? UInt64.random(in: .min ... .max)
        do {
            print("random histories, seed \(seed): \(try await compare(seed))")
            print(try findFaults(seed))
        } catch {
            print("\(error)\nThe seed was \(seed).")
            throw ExitCode.failure
        }
    }

    private func compare(_ seed: UInt64) async throws -> Tally {
        let histories = RandomHistories(seed: seed)
        let count = comparisons / histories.comparisons + 1
        let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
            for first in stride(from: 0, to: count, by: 100) {
                group.addTask { try histories.run(first..<min(first + 100, count)) }
            }
            var tally = Tally()
            for try await part in group { tally += part }
            return tally
        }
        guard tally.unseen.isEmpty else { throw Blindness(description: "never compared: \(tally.unseen)") }
        return tally
    }

    private func findFaults(_ seed: UInt64) throws -> String {
        for fault in Fault.all where (try? RandomHistories(seed: seed, fault: fault).run(0..<500)) != nil {
            throw Blindness(description: "not found in 500 histories: \(fault)")
        }
        return "planted faults: \(Fault.all.count) of \(Fault.all.count) found"
    }
}

/// An answer that was never compared, or a planted fault that was not found.
struct Blindness: Error, CustomStringConvertible {
    let description: String
}
