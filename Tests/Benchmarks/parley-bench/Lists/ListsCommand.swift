import GatewaySite
import ArgumentParser
import Foundation
import ParleyBridge
import ParleyStore

struct ListsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lists",
        abstract: "Measure pages of a user's conversations inside the gateway.",
        discussion: """
            Fills databases in a temporary directory with the conversations of one user and reads pages of their list by \
            the gateway's own code, without a broker. It leaves nothing behind.
            """)

    @OptionGroup var machine: MachineOptions
    @Option(help: "Conversations of the user.") var conversations = 5000
    @Option(help: "Messages in each.") var messages = 20
    @Option(help: "The most that is unread in a conversation; how much is random.") var unread = 20
    @Option(help: "Conversations on a page.") var limit = 20
    @Option(help: "Pages that are read of each kind.") var pages = 2000

    func validate() throws {
        guard (1...1_000_000).contains(conversations), (1...100_000).contains(messages), unread >= 0 else {
            throw ValidationError("--conversations, --messages or --unread is out of range")
        }
        guard (1...200).contains(limit), pages > 0 else { throw ValidationError("--limit or --pages is out of range") }
    }

    func run() throws {
        let interruption = try Interruption()
        var table = Table(["activity", "page of \(limit)", "p50", "p99", "most"], names: 2)
        for activity in ListedConversations.Activity.allCases {
            report("filling a database: \(activity.rawValue)")
            let directory = FileManager.default.temporaryDirectory(in: machine.scratch)
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let store = try Store(path: directory + "/parley.db")
            let listed = ListedConversations(
                conversations: conversations, messages: messages, unread: unread, activity: activity)
            try listed.fill(store, stop: interruption.stop)
            for place in ListedPlace.allCases {
                let times = try listed.read(
                    place, limit: limit, times: pages, in: store, stop: interruption.stop)
                table.rows.append([activity.rawValue, place.rawValue] + times)
            }
        }
        machine.print(table)
    }
}

extension FileManager {
    fileprivate func temporaryDirectory(in scratch: String) -> String {
        "\(scratch)/parley-bench-lists-\(UInt32.random(in: 0 ... .max))"
    }
}
