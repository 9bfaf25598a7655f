import GatewaySite
import ArgumentParser
import Foundation
import Platform
import ParleyBridge
import ParleyStore

struct RelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Stand in the gateway's place and relay requests, deciding nothing.",
        discussion: "What `compare` measures the gateway against; it starts this by itself.")

    @Option(help: ArgumentHelp("The data directory of the gateway whose place it takes.", valueName: "dir"))
    var data: String

    @Option(help: ArgumentHelp("Commit every batch to this database first.", valueName: "file"))
    var store: String?

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let directory = DataDirectory(path: data)
        let batchLimit = try directory.readSettings().batchLimit
        let interruption = try Interruption()
        let relay = Relay(
            link: BrokerLink(
                socket: directory.brokerSocket, tokens: TokenIssuer(key: try directory.readSigningKey()),
                batchLimit: batchLimit),
            store: try store.map { try Store(path: $0) }, stop: interruption.stop, wakeUp: interruption.wakeUp)
        try relay.run(batchLimit: batchLimit) {
            FileHandle.standardOutput.write(Data("parley: ready (relay)\n".utf8))
        }
    }
}
