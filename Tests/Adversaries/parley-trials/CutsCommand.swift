import Launch
import GatewaySite
import ArgumentParser
import Foundation

struct CutsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cuts",
        abstract: "Cut people off at random moments of busy conversations, and see that they hear nothing more.",
        discussion: """
            Each trial has people of its own: one keeps talking, one is removed, leaves, is blocked, or has devices \
            revoked, and listens on a live connection and in a session that the broker keeps while they are away. What \
            follows from requests that were sent after the cut on the same connection, or after its reply, must not \
            reach them: messages, receipts, typing, names.

            The status is 1 if anything did, or if there was nothing to be kept from them.
            """)

    @OptionGroup var places: InstallationOptions

    @Option(help: "How many, the kinds of cuts by turns.")
    var trials = 1000

    @Option(help: "Decides the moments; another one each time by default.")
    var seed: UInt64 = .random(in: 0...999_999_999)

    @Option(help: "How many trials go on at the same time.")
    var lanes = 4

    @Option(parsing: .upToNextOption, help: "Which cuts.")
    var cuts: [Cut] = Cut.allCases

    @Flag(help: "Make no cut: everything must then be seen to arrive, in every trial, or the status is 1.")
    var withoutCut = false

    func validate() throws {
        guard (1...100_000).contains(trials) else { throw ValidationError("--trials takes 1 to 100000") }
        guard (1...32).contains(lanes) else { throw ValidationError("--lanes takes 1 to 32") }
        guard !cuts.isEmpty else { throw ValidationError("--cuts names none") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let installation = places.installation
        let interruption = try Interruption()
        report("seed \(seed); preparing \(trials) trials")
        var casts: [Cast] = []
        let site = try Site(installation) { store, tokens in
            casts = try Cast.make((0..<trials).map { cuts[$0 % cuts.count] }, store: store, tokens: tokens)
        }
        defer { site.close() }
        let gateway = try site.startGateway()
        let outcomes = try TrialRun(
            casts: casts, ports: [site.port], seed: seed, isCutMade: !withoutCut, lanes: lanes, stop: interruption.stop
        ).perform()
        gateway.end(grace: Site.grace)

        let summary = TrialReport(outcomes)
        places.machine.print(summary.table)
        print("seed \(seed), \(lanes) trials at a time")
        if !withoutCut { for breach in (summary.breaches + summary.gaps).prefix(10) { report(breach) } }
        let isAsItShouldBe =
            withoutCut ? outcomes.allSatisfy { !$0.breaches.isEmpty } : summary.breaches.isEmpty && summary.gaps.isEmpty
        guard isAsItShouldBe else { throw ExitCode(1) }
    }
}
