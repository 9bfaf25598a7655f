import ArgumentParser
import ParleyClient
import ParleyProtocol

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Puts another text in the place of one of your own messages, for everybody.",
        discussion: """
            Prints the reply as one JSON object: the place of the change in the log. Exit status as of `parley send`.

            Example:
              parley edit --as alice/phone --conversation 7ff2d9c8-d0a4-8046-9527-01d1046656da \\
                0b0c1d2e-3f40-4152-8364-758697a8b9ca 'See you at seven'
            """)

    @OptionGroup var target: TargetOptions
    @Argument(help: ArgumentHelp("What it says from now on.", valueName: "TEXT")) var text: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await target.change(common) { (client, id, conversation) async throws(ClientError) in
            try await client.edit(id, in: conversation, to: .text(text))
        }
    }
}

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes one of your own messages, for everybody.",
        discussion: """
            Prints the reply as one JSON object: the place of the change in the log. Of a message that is deleted already \
            it says so, with status 0.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await target.change(common) { (client, id, conversation) async throws(ClientError) in
            try await client.message(id, in: conversation).content == .removed
                ? nil : try await client.delete(id, in: conversation)
        }
    }
}

struct ReactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "react", abstract: "Reacts to a message, in place of what you reacted before.")

    @OptionGroup var target: TargetOptions
    @Argument(help: ArgumentHelp("The reaction; '' takes yours back.", valueName: "EMOJI")) var emoji: Reaction
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await target.change(common) { (client, id, conversation) async throws(ClientError) in
            try await client.react(to: id, in: conversation, with: emoji.text)
        }
    }
}

/// One emoji, or nothing.
struct Reaction: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard argument.isEmpty || Emoji(argument) != nil else { return nil }
        text = argument
    }
}

/// The message that a command changes.
struct TargetOptions: ParsableArguments {
    @OptionGroup var sender: SenderOptions

    @Option(help: ArgumentHelp("The conversation that it is in.", valueName: "ID"))
    var conversation: ConversationID

    @Argument(help: ArgumentHelp("The message.", valueName: "MESSAGE")) var message: MessageID

    /// Makes the change, waits for the gateway, and prints its reply.
    fileprivate func change(
        _ common: CommonOptions,
        _ make: @Sendable (MessagingClient, MessageID, ConversationID) async throws(ClientError) -> MessageID?
    ) async throws {
        try await common.deliver(as: sender) { (client) async throws(ClientError) in
            _ = try await client.conversation(conversation)
            try await find(by: client)
            return try await make(client, message, conversation).map { ($0, conversation) }
        }
    }

    /// Reads history back to the message: a device can only change messages that it has.
    private func find(by client: MessagingClient) async throws(ClientError) {
        var position = HistoryPosition.newest
        while true {
            let slice = try await client.history(of: conversation, at: position, limit: Limits.pageItems)
            guard !slice.messages.contains(where: { $0.id == message }), !slice.reachedStart,
                let first = slice.messages.first(where: { $0.position != nil })?.id
            else { return }
            position = .before(.id(first))
        }
    }
}
