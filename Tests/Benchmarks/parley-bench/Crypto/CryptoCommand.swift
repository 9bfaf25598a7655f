import GatewaySite
import ArgumentParser
import Platform
import ParleyProtocol

struct CryptoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crypto",
        abstract: "Measure sealing and opening messages, beside the calls of the libraries below.",
        discussion: """
            One thread seals and opens messages between two devices whose session is warm, and by turns makes only the \
            library's own calls on the same bytes; then, what the first message to a large group costs. Seconds are \
            those of the thread's CPU.
            """)

    @Option(help: ArgumentHelp("The content of a message.", valueName: "bytes")) var content = 256
    @Option(help: "How often everything is measured; medians are of these.") var runs = 7
    @Option(help: ArgumentHelp("How long each is measured each time.", valueName: "s")) var seconds = 0.5
    @OptionGroup var machine: MachineOptions

    func validate() throws {
        guard (0...60_000).contains(content) else { throw ValidationError("--content takes 0 to 60,000") }
        guard runs > 0, seconds > 0 else { throw ValidationError("nothing is measured in no time") }
    }

    func run() throws {
        let interruption = try Interruption()
        var table = Table(
            ["messages of \(content) bytes", "what", "messages/s", "library alone/s", "÷ library alone"], names: 2)
        for suite in Suite.Bound.allCases {
            report("\(suite.benchmarkName), \(runs) times")
            table.rows += try CipherPair(suite, content: content).measure(runs: runs, seconds: seconds) {
                if interruption.stop.isRaised { throw LoadError.interrupted }
            }
        }
        report("a first message, \(runs) times")
        var first = Table(["first message to a group", "ms of CPU"], names: 1)
        first.rows.append(try FirstMessage().row(content: content, runs: runs))
        machine.print(table)
        machine.print(first)
    }
}
