import ArgumentParser
import ParleyClient
import ParleyProtocol

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Searches the messages that this device keeps.",
        discussion: """
            Words are taken by their beginnings; words in double quotes stand beside each other. The newest come last. \
            What is searched is what the device's chats have kept, in DIR/devices/UID/DID/messages.db, so while a chat of \
            the device runs this is refused: there it is /search.

            Example:
              parley search --as alice/phone --conversation 'Morning run' 'six "at the bridge"'
            """)

    @OptionGroup var sender: SenderOptions
    @Option(help: ArgumentHelp("The only conversation that is searched.", valueName: "NAME")) var conversation: String?
    @Option(help: ArgumentHelp("How many, the newest.", valueName: "N")) var limit = 50
    @Argument(help: ArgumentHelp("What they say.", valueName: "WORDS")) var words: [String]
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (1...Limits.pageItems).contains(limit) else {
            throw ValidationError("--limit takes 1 to \(Limits.pageItems)")
        }
        if words.isEmpty { throw ValidationError("WORDS says what is searched for") }
    }

    func run() async throws {
        Terminal.endQuietlyWithReader()
        let gateway = common.gateway
        let (found, titles) = try await gateway.messaging(
            as: sender.device(gateway), storage: .database
        ) { client in
            let id: ConversationID? =
                if let conversation { try await client.conversationID(named: conversation) } else { nil }
            let found = try await client.search(words.joined(separator: " "), in: id, limit: limit)
            return (found, await client.conversationTitles())
        }
        if common.output.isJSON { return found.reversed().forEach { Terminal.printJSON($0.json) } }
        if found.isEmpty { Terminal.report("nothing found") }
        for message in found.reversed() {
            Terminal.print(message.numberedLine(in: .local, titles[message.conversation]))
        }
    }
}
