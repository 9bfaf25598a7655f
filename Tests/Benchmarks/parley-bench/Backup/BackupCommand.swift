import ArgumentParser
import Foundation
import GatewaySite
import Launch

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Measure messages alone and beside a backup of a large database.",
        discussion: """
            Fills a database in a temporary directory, starts a gateway on it, and measures messages alone and beside \
            `parleyd backup`, which checks what it has written, with the priorities that the timer's unit gives it. It \
            leaves nothing behind. The status is 1 if a message was lost, doubled, out of order or refused, or a backup \
            failed.
            """)

    @OptionGroup var places: InstallationOptions
    @Option(help: "Stored messages of 256 bytes of ciphertext, in 10,000 conversations.") var stored = 1_000_000
    @Option(help: "Conversations of two people in which messages are sent.") var conversations = 50
    @Option(help: "Messages a second.") var messages = 200
    @Option(help: "Turns of each.") var rounds = 3
    @Option(help: ArgumentHelp("How long messages are measured in a turn.", valueName: "s")) var seconds = 30.0
    @Flag(help: "A first look: one turn of each, with 100,000 messages.") var quick = false

    func validate() throws {
        guard (0...100_000_000).contains(stored), (1...400).contains(conversations), (1...100_000).contains(messages),
            (1...100).contains(rounds), seconds > 0
        else { throw ValidationError("a number is out of range") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let interruption = try Interruption()
        let (rounds, seconds, stored) = quick ? (1, 5, min(stored, 100_000)) : (rounds, seconds, stored)
        var filled = FilledStore(conversations: 10_000, messages: stored)
        var groups: [Population.Group] = []
        report("filling a database")
        let site = try Site(places.installation) { store, tokens in
            try filled.fill(store, tokens, stop: interruption.stop)
            groups = try Population.make(conversations: conversations, members: 2, store: store, tokens: tokens)
        }
        defer { site.close() }
        let gateway = try site.startGateway()
        defer { gateway.end(grace: Site.grace) }
        let fleet = try Fleet(groups, port: site.port, stop: interruption.stop)
        var measurement = BackupMeasurement(
            fleet: fleet, directory: site.directory, perSecond: messages, seconds: seconds)
        for round in 1...rounds { try measurement.measure(round, of: rounds) }

        let faults = measurement.messages.faults
        places.machine.print(
            measurement.messages.table("\(messages) a second", beside: "backups").text(places.machine.style),
            [
                "\(stored) messages stored; a backup took \(Spread(measurement.backups).formatted(1)) s",
                "load average after: \(Machine.load)",
                "\(faults.losses) losses, \(faults.duplicates) duplicates, \(faults.reorderings) reorderings, "
                    + "\(faults.refusals) refusals",
            ])
        guard faults.count == 0 else { throw ExitCode(1) }
    }
}
