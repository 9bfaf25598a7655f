import GatewaySite
import ArgumentParser
import Foundation
import ParleyBridge
import ParleyProtocol
import ParleyStore

struct StoreSizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store-size",
        abstract: "Measure the gateway on a large database: memory, time to start, pages of history.",
        discussion: """
            Fills a database in a temporary directory, starts a gateway on it and reads pages of 50 messages of \
            conversations at random, one at a time. It leaves nothing behind.
            """)

    @OptionGroup var places: InstallationOptions
    @Option(help: "Conversations, and as many users with one device each.") var conversations = 10_000
    @Option(help: "Stored messages of 256 bytes of ciphertext.") var messages = 1_000_000
    @Option(help: "Pages that are read.") var pages = 2000
    @Option(help: "How often the gateway is started.") var starts = 5

    func validate() throws {
        guard (2...1_000_000).contains(conversations), (0...100_000_000).contains(messages) else {
            throw ValidationError("--conversations or --messages is out of range")
        }
        guard pages > 0, starts > 0 else { throw ValidationError("nothing is measured by no pages or no starts") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let installation = places.installation
        let interruption = try Interruption()
        var filled = FilledStore(conversations: conversations, messages: messages)
        report("filling a database")
        let site = try Site(installation) { try filled.fill($0, $1, stop: interruption.stop) }
        defer { site.close() }
        report("starting gateways")
        var table = Table(["\(conversations) conversations, \(messages) messages", ""], names: 1)
        table.rows = try StoreFigures.measure(site, filled, starts: starts, pages: pages, stop: interruption.stop)
        places.machine.print(table)
    }
}
