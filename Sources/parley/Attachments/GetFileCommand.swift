import ArgumentParser
import ParleyClient
import ParleyProtocol

struct GetFileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get-file", abstract: "Fetches the file of a message, and opens it.",
        discussion: """
            The file is checked before any of it is believed, and then stands under the name that its sender gave it, as \
            far as that is one; nothing is overwritten. Its path is printed. What was broken off goes on where it was.

            Example:
              parley get-file --as bob/phone CONVERSATION MESSAGE --output report.pdf
            """)

    @OptionGroup var sender: SenderOptions
    @Argument(
        help: ArgumentHelp(
            "The conversation, by its name or id or the beginning of one.", valueName: "CONVERSATION"))
    var conversation: ConversationName
    @Argument(help: ArgumentHelp("The message: its number, its id or the id's beginning.", valueName: "MESSAGE"))
    var message: MessageName
    @Option(help: ArgumentHelp("The new file.", valueName: "FILE")) var output: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let path = try await common.signedIn(as: sender) { client in
            let conversation = try await conversation.find(by: client)
            let found = try await client.message(message.find(in: conversation, by: client), in: conversation)
            return try await ProgressMeter.showing { report in
                guard let output else { return try await client.files.save(found, in: ".", progress: report) }
                try await client.files.save(found, to: output, progress: report)
                return output
            }
        }
        common.output.print(value: path, named: "file")
    }
}

extension MessagingClient {
    /// A message as it stands now.
    nonisolated func message(
        _ id: MessageID, in conversation: ConversationID
    ) async throws(ClientError) -> ChatMessage {
        let slice = try await history(of: conversation, at: .around(.id(id)), limit: 1)
        guard let found = slice.messages.first(where: { $0.id == id }) else {
            throw .unknownMessage(id, in: conversation)
        }
        return found
    }
}
