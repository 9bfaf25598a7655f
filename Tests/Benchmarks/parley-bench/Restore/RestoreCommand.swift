import ArgumentParser
import Foundation
import GatewaySite
import Launch

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a large database from a backup while devices have later messages.",
        discussion: """
            Fills a database in a temporary directory and starts a gateway on it. Four pairs of people talk by the \
            client's library, in a conversation and a group each: messages, edits, deletions, reactions, receipts. \
            After `parleyd backup` they go on, some signed out, until the gateway is killed; after `parleyd restore` \
            they come back. It leaves nothing behind. The status is 1 if a device or the gateway lacks a message that \
            it had, shows one twice, out of order or unreadable, or counts unread messages wrongly.
            """)

    @OptionGroup var places: InstallationOptions
    @Option(help: "Stored messages of 256 bytes of ciphertext, in 10,000 conversations.") var stored = 1_000_000
    @Option(help: "Messages of each device to each conversation before the backup.") var before = 60
    @Option(help: "The same between the backup and the restore, which loses them.") var lost = 25
    @Option(help: "The same after the restore.") var after = 25
    @Option(help: "How often `parley status` is run.") var statuses = 20
    @Flag(help: "A first look: with 100,000 messages.") var quick = false

    func validate() throws {
        guard (0...100_000_000).contains(stored), [before, lost, after].allSatisfy((5...10_000).contains),
            (1...10_000).contains(statuses)
        else { throw ValidationError("a number is out of range") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let interruption = try Interruption()
        let stored = quick ? min(stored, 100_000) : stored
        var filled = FilledStore(conversations: 10_000, messages: stored)
        var seats: [Population.Seat] = []
        report("filling a database")
        let site = try Site(places.installation) { store, tokens in
            try filled.fill(store, tokens, stop: interruption.stop)
            seats = try RestoreTrial.seats(store, tokens)
        }
        defer { site.close() }
        let trial = try RestoreTrial(
            site, seats, RestoreTrial.Plan(before: before, lost: lost, after: after, statuses: statuses),
            stop: interruption.stop)
        defer { for fault in trial.faults.all.prefix(20) { report(fault) } }
        let gateway = try site.startGateway()
        defer { gateway.end(grace: Site.grace) }
        let restored = try trial.run(gateway)
        defer { restored.end(grace: Site.grace) }
        try trial.examine(try StoredHistory(filled), restored)

        let figures = trial.figures
        let faults = trial.faults.all
        places.machine.print(
            table(figures).text(places.machine.style),
            [
                "\(figures.records.backup) records in the backup, \(figures.records.database) in the database at the end; "
                    + "\(figures.lost) were sent after the backup and lost by the gateway",
                "\(RestoreTrial.pairCount * 2) devices show \(figures.shown) messages after the restore",
                "load average after: \(Machine.load)",
                "\(faults.count) faults",
            ])
        guard faults.isEmpty else { throw ExitCode(1) }
    }

    private func table(_ figures: RestoreTrial.Figures) -> Table {
        var table = Table(["what", ""], names: 1)
        table.rows = [
            ["backup, beside signed-in devices", "\(figures.backup.formatted(1)) s"],
            ["restore", "\(figures.restore.formatted(1)) s"],
            ["start to ready after it", "\(figures.ready.formatted(2)) s"],
            [
                "first sync of a device after it (\(figures.syncs.count) devices)",
                "\(Spread(figures.syncs).formatted(2)) s",
            ],
            ["parley status (\(figures.statuses.count) times)", "\(Spread(figures.statuses).formatted(0)) ms"],
            ["CPU of the tool for it", "\(figures.statusCPU.formatted(0)) ms"],
            [
                "page of history at a device, p50 / p99 of \(figures.pages.count)",
                [0.5, 0.99].map { share in
                    figures.pages.percentile(share).map { (Double($0) / 1e6).formatted(2) } ?? ""
                }.joined(separator: " / ") + " ms",
            ],
        ]
        return table
    }
}
