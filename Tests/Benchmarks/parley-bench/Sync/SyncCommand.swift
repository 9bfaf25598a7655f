import GatewaySite
import ArgumentParser
import Foundation
import Platform
import ParleyBridge
import ParleyProtocol
import ParleyStore

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Measure sync/get inside the gateway: from the bytes of a request to those of its reply.",
        discussion: """
            Fills a database in a temporary directory with conversations of three and twice as many messages as are \
            missed, so that half of each log is known to the device. The device then asks page by page until nothing \
            is missing and all conversations were told of. It leaves nothing behind.
            """)

    @Option(help: "Conversations.") var conversations = 200

    @Option(help: "Missed messages of 256 bytes of ciphertext, in all conversations together.")
    var missed = 10_000

    @Option(help: "How often each is measured; medians are of these.") var runs = 15
    @OptionGroup var machine: MachineOptions

    func validate() throws {
        guard (2...3000).contains(conversations) else { throw ValidationError("--conversations takes 2 to 3,000") }
        guard (1...1_000_000).contains(missed) else { throw ValidationError("--missed takes 1 to 1,000,000") }
        guard runs > 0 else { throw ValidationError("nothing is measured in no runs") }
    }

    /// The measured cases, as multiples of `--conversations` and `--missed`.
    private static let scales: [(conversations: Int, missed: Int)] = [
        (1, 1), (2, 2), (1, 2), (10, 1), (1, 0), (10, 0),
    ]

    func run() throws {
        let interruption = try Interruption()
        var table = Table(
            [
                "conversations", "missed", "pages", "KiB", "ms inside", "ms of CPU", "ms of CPU a page",
                "µs of CPU a record or conversation",
            ], names: 0)
        for scale in SyncCommand.scales where conversations * scale.conversations <= 3000 {
            if interruption.stop.isRaised { throw LoadError.interrupted }
            let away = try AwayDevice(
                conversations: conversations * scale.conversations, missed: missed * scale.missed,
                scratch: machine.scratch, stop: interruption.stop)
            defer { away.close() }
            report("\(away.conversations) conversations, \(away.missed) missed")
            // Once to have the pages of the database in memory, as they are in a gateway at work.
            _ = try away.catchUp()
            let runs = try (0..<self.runs).map { _ in try away.catchUp() }
            table.rows.append(away.row(runs))
        }
        machine.print(table)
    }
}
