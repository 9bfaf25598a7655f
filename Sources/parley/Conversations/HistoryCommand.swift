import ArgumentParser
import ParleyClient
import ParleyProtocol

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Prints what was said in a conversation, opened, and ends.",
        discussion: """
            The newest come last, as they are now, with their numbers, which stand for the messages in other \
            commands. In JSON each is an object as `parley listen --json` prints it. Nothing is marked as read by \
            it.

            Examples:
              parley history --as alice/phone --conversation 'Morning run' --limit 20
              parley history --as alice/phone --with bob --before 120
            """)

    @OptionGroup var sender: SenderOptions
    @Option(name: .customLong("with"), help: ArgumentHelp("The other user.", valueName: "UID")) var other: UserID?
    @Option(help: ArgumentHelp("The conversation, in place of --with.", valueName: "NAME")) var conversation:
        ConversationName?
    @Option(help: ArgumentHelp("How many, the newest.", valueName: "N")) var limit = 50
    @Option(help: ArgumentHelp("Only those before this number.", valueName: "N")) var before: Int?
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (other == nil) != (conversation == nil) else {
            throw ValidationError("--with UID or --conversation NAME says of which conversation")
        }
        guard (1...ListenCommand.mostHistory).contains(limit) else {
            throw ValidationError("--limit takes 1 to \(ListenCommand.mostHistory)")
        }
    }

    func run() async throws {
        Terminal.endQuietlyWithReader()
        let messages = try await common.signedIn(as: sender) { client in
            let id =
                if let conversation { try await conversation.find(by: client) } else {
                    try await client.conversation(with: other ?? client.device.user).id
                }
            return try await client.messages(of: id, before: before, limit: limit)
        }
        if common.output.isJSON { return messages.forEach { Terminal.printJSON($0.json) } }
        if messages.isEmpty { Terminal.report("there is nothing yet") }
        for message in messages { Terminal.print(message.numberedLine(in: .local)) }
    }
}

extension MessagingClient {
    /// The newest messages of a conversation, page by page, the newest last.
    nonisolated func messages(of id: ConversationID, before: Int? = nil, limit: Int) async throws(ClientError)
        -> [ChatMessage]
    {
        _ = try await conversation(id)
        var position: HistoryPosition = before.map { .before(.seq($0)) } ?? .newest
        var found: [ChatMessage] = []
        while found.count < limit {
            let slice = try await history(of: id, at: position, limit: min(limit - found.count, Limits.pageItems))
            found.insert(contentsOf: slice.messages, at: 0)
            guard !slice.reachedStart, let oldest = slice.messages.first(where: { $0.position != nil }) else { break }
            position = .before(.id(oldest.id))
        }
        return Array(found.suffix(limit))
    }
}

extension ChatMessage {
    /// The message as a line for people, with the number by which commands take it.
    func numberedLine(in zone: TimeZone, _ title: String? = nil) -> String {
        let lines = text.printableLines.joined(separator: " ↵ ")
        let number = position.map { "#\($0.seq) " } ?? ""
        let place = title.map { "\($0.printable) " } ?? ""
        let reactions = Dictionary(grouping: self.reactions.values) { $0 }.keys.sorted().joined(separator: " ")
        let end = reactions.isEmpty ? "" : "  [\(reactions)]"
        return "\(number)\(zone.civil(createdAt).stamp) \(place)\(sender.user): \(lines)\(end)"
    }
}
