import ArgumentParser
import Foundation
import GatewaySite
import Launch
import MQTTWire
import Platform

struct BlobsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blobs",
        abstract: "Measure a large file up and down through the web door, and messages beside it.",
        discussion: """
            By turns messages alone and beside a file that goes up and comes down, with connections that break on the way; \
            what comes down must be what went up. It starts everything itself, in a temporary directory, and leaves nothing \
            behind. The status is 1 if a byte was another, or a message was lost, doubled, out of order or refused.
            """)

    @OptionGroup var places: InstallationOptions
    @Option(help: ArgumentHelp("The file, in MB of 1,000,000 bytes.", valueName: "MB")) var size = 1000
    @Option(help: "Connections that break, each way.") var interruptions = 50
    @Option(help: "Conversations of two people in which messages are sent.") var conversations = 50
    @Option(help: "Messages a second.") var messages = 500
    @Option(help: "Turns of each.") var rounds = 5
    @Option(help: ArgumentHelp("How long messages alone are measured in a turn.", valueName: "s")) var seconds = 10.0
    @Flag(help: "A first look: one turn of each, with a file of 100 MB.") var quick = false

    func validate() throws {
        guard (1...1000).contains(size), (0...10_000).contains(interruptions), (1...400).contains(conversations),
            (1...100_000).contains(messages), (1...100).contains(rounds), seconds > 0
        else { throw ValidationError("a number is out of range") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let interruption = try Interruption()
        let (rounds, seconds, size) = quick ? (1, 3, min(size, 100)) : (rounds, seconds, size)
        var groups: [Population.Group] = []
        let site = try Site(places.installation) { store, tokens in
            groups = try Population.make(
                conversations: conversations + Self.uploaders, members: 2, store: store, tokens: tokens)
        }
        defer { site.close() }
        let gateway = try site.startGateway()
        defer { gateway.end(grace: Site.grace) }
        let port = try freePort()
        let door = try site.launchWebDoor(port: port, keepsBlobs: true)
        defer { door.end(grace: Site.grace) }
        try site.awaitReady(webDoor: door)

        let content = try BlobContent(bytes: size * 1_000_000)
        let transfer = BlobTransfer(
            content: content, groups: Array(groups.suffix(Self.uploaders)), port: port, interruptions: interruptions,
            stop: interruption.stop)
        var measurement = BlobMeasurement(
            fleet: try Fleet(Array(groups.prefix(conversations)), port: site.port, stop: interruption.stop), door: door,
            transfer: transfer,
            perSecond: messages, seconds: seconds)
        for round in 1...rounds { try measurement.measure(round, of: rounds) }

        let faults = measurement.messages.faults
        let name = "a file of \(size) MB, \(interruptions) interruptions"
        places.machine.print(
            measurement.transfers(name).text(places.machine.style) + "\n\n"
                + measurement.messages.table("\(messages) a second", beside: "a file up and down").text(
                    places.machine.style),
            [
                "load average after: \(Machine.load)",
                "\(faults.losses) losses, \(faults.duplicates) duplicates, \(faults.reorderings) reorderings, "
                    + "\(faults.refusals) refusals",
            ])
        guard faults.count == 0 else {
            if let refusal = faults.firstRefusal { report("the first refusal: \(refusal)") }
            throw ExitCode(1)
        }
    }

    /// Users who send files and no messages: each may announce 4 GiB a day.
    private static let uploaders = 30
}
