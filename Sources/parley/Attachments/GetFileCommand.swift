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
    @Argument(help: ArgumentHelp("The conversation.", valueName: "CONVERSATION")) var conversation: ConversationID
    @Argument(help: ArgumentHelp("The message.", valueName: "MESSAGE")) var message: MessageID
    @Option(help: ArgumentHelp("The new file.", valueName: "FILE")) var output: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let path = try await common.signedIn(as: sender) { client in
            let slice = try await client.history(of: conversation, at: .around(.id(message)), limit: 1)
            guard let found = slice.messages.first(where: { $0.id == message }) else {
                throw ClientError.unknownMessage(message)
            }
            guard let output else { return try await client.files.save(found, in: ".") }
            try await client.files.save(found, to: output)
            return output
        }
        Terminal.print(path)
    }
}

/// Shows on standard error how far a file has come: a bar on a terminal, else a line for each tenth.
struct ProgressMeter {
    private var shown = -1

    mutating func show(_ progress: FileProgress) {
        let tenth = progress.total > 0 ? progress.done * 10 / progress.total : 10
        guard tenth != shown else { return }
        shown = tenth
        Terminal.report("\(tenth * 10) % of \(progress.total) bytes")
    }
}
