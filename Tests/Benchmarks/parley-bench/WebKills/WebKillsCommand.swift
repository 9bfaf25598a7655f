import ArgumentParser
import Foundation
import GatewaySite
import Launch
import MQTTWire
import ParleyProtocol
import Platform

struct WebKillsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web-kills",
        abstract: "Kill the web door at random moments under load, and check that nothing answered is lost or double.",
        discussion: """
            Apps post messages, each with an id or an Idempotency-Key, and repeat each until it is answered. Others hear \
            them on WebSockets, and resume by their cursors when the door is back. In the end history holds each posted \
            message once, under the id that was answered, and each who listens has the whole log. The status is 1 if not.
            """)

    @OptionGroup var places: InstallationOptions
    @Option(help: "SIGKILLs of the door.") var kills = 200
    @Option(help: "Decides the moments of the kills; another one each time by default.")
    var seed = UInt64.random(in: 1...999_999)

    private static let conversations = 8

    func validate() throws {
        guard (0...100_000).contains(kills) else { throw ValidationError("--kills is out of range") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        report("\(kills) kills, seed \(seed)")
        let interruption = try Interruption()
        var made: WebPopulation?
        let site = try Site(places.installation) { store, tokens in
            made = try WebPopulation.make(
                talking: Self.conversations, sockets: 0, messages: 0, store: store, tokens: tokens)
        }
        defer { site.close() }
        guard let groups = made?.talking else { throw LoadError.missing("population") }
        let gateway = try site.startGateway()
        defer { gateway.end(grace: Site.grace) }
        let run = WebKillRun(
            groups, site: site, port: try freePort(), kills: kills, seed: seed, stop: interruption.stop)
        try run.perform()

        var table = Table(["what", "count"], names: 1)
        for (name, count) in run.figures { table.rows.append([name, "\(count)"]) }
        places.machine.print(table)
        guard run.faults.isEmpty else {
            report("\(run.faults.count) faults; the first: \(run.faults[0])")
            throw ExitCode(1)
        }
    }
}
