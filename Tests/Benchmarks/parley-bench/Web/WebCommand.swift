import ArgumentParser
import Foundation
import GatewaySite
import Launch
import MQTTWire
import ParleyProtocol
import Platform

struct WebCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Measure the web door: messages posted and pages of history read over HTTP, beside WebSockets.",
        discussion: """
            Each connection has a token of its own and asks one thing at a time. Half of the open loop's rates are \
            measured first, then all of them. It starts everything itself, in a temporary directory, and leaves nothing \
            behind. The status is 1 if a request was refused, or a message lost or doubled: each posted one is in history \
            once, and is heard once by the WebSocket in its conversation.
            """)

    @OptionGroup var places: InstallationOptions
    @Option(help: "Connections that ask over HTTP, each in a conversation of its own.") var connections = 64
    @Option(help: "WebSockets; as many of them as there are connections hear messages.") var sockets = 1000
    @Option(help: "Messages posted a second in the open loop.") var posts = 2000
    @Option(help: "Pages of history read a second in the open loop.") var pages = 3000
    @Option(help: ArgumentHelp("How long each is measured.", valueName: "s")) var seconds = 10.0
    @Flag(help: "A first look: fewer WebSockets, and 2 s of each.") var quick = false

    func validate() throws {
        guard (1...500).contains(connections), (0...5000).contains(sockets), (0...100_000).contains(posts),
            (0...100_000).contains(pages), posts + pages > 0, seconds > 0
        else { throw ValidationError("a number is out of range") }
        guard sockets == 0 || sockets >= connections else {
            throw ValidationError("--sockets: fewer than there are connections to hear")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let interruption = try Interruption()
        let (sockets, seconds) = quick ? (min(sockets, max(200, connections)), 2) : (sockets, seconds)
        let template = try WebTemplate(places.installation, connections: connections + sockets)
        defer { template.remove() }
        var made: WebPopulation?
        let site = try Site(template.installation) { store, tokens in
            made = try WebPopulation.make(
                talking: connections, sockets: sockets, messages: Self.messagesBefore, store: store, tokens: tokens)
        }
        defer { site.close() }
        guard let population = made else { throw LoadError.missing("population") }
        let gateway = try site.startGateway()
        defer { gateway.end(grace: Site.grace) }
        let port = try freePort()
        let door = try site.launchWebDoor(port: port)
        defer { door.end(grace: Site.grace) }
        try site.awaitReady(webDoor: door)

        var measurement = WebMeasurement(
            fleet: try WebFleet(population, port: port, stop: interruption.stop), door: door, gateway: gateway,
            broker: site.broker, seconds: seconds)
        try measurement.measure(sockets: sockets, posts: posts, pages: pages)
        try measurement.checkHistory(of: population, port: port, before: Self.messagesBefore)

        places.machine.print(
            measurement.report.text(places.machine.style), ["load average after: \(Machine.load)", measurement.closing])
        guard measurement.faults.count == 0 else {
            if let refusal = measurement.faults.firstRefusal { report("the first refusal: \(refusal)") }
            throw ExitCode(1)
        }
    }

    /// In each conversation, so that each page is full.
    private static let messagesBefore = 200
}

/// The template of the broker's configuration with room for more connections.
struct WebTemplate {
    let installation: Installation
    private let path: String

    init(_ installation: Installation, connections: Int) throws {
        let text = try String(contentsOfFile: installation.template, encoding: .utf8)
        path = "\(installation.scratch)/parley-bench-\(getpid()).conf"
        try text.replacing("max_connections 1000", with: "max_connections \(connections + 1000)")
            .write(toFile: path, atomically: false, encoding: .utf8)
        self.installation = Installation(template: path, scratch: installation.scratch)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
