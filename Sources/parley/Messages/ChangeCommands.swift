import ArgumentParser
import ParleyClient
import ParleyProtocol

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Puts another text in the place of one of your own messages, for everybody.",
        discussion: """
            Prints the number of the change in the conversation. Exit status as of `parley send`. MESSAGE is the \
            number or the id of the message, or the id's beginning, as `parley history` and `parley listen --ids` \
            show them; with --last it is left out.

            Examples:
              parley edit --as alice/phone --conversation bob 12 'See you at seven'
              parley edit --as alice/phone --conversation bob --last 'See you at seven'
            """)

    @OptionGroup var target: TargetOptions
    @Argument(help: ArgumentHelp("The message, and what it says from now on.", valueName: "MESSAGE TEXT")) var words:
        [String]
    @OptionGroup var common: CommonOptions

    func validate() throws { try target.check(words, "TEXT") }

    func run() async throws {
        let text = words.last ?? ""
        try await target.change(words, common, newest: \.isOwn) { client, id, conversation in
            try await client.edit(id, in: conversation, to: .text(text))
        }
    }
}

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes one of your own messages, for everybody.",
        discussion: """
            Prints the number of the change in the conversation. Of a message that is deleted already it says so, \
            with status 0.
            """)

    @OptionGroup var target: TargetOptions
    @Argument(help: ArgumentHelp("The message.", valueName: "MESSAGE")) var words: [String] = []
    @OptionGroup var common: CommonOptions

    func validate() throws { try target.check(words, nil) }

    func run() async throws {
        try await target.change(words, common, newest: \.isOwn) { client, id, conversation in
            try await client.message(id, in: conversation).content == .removed
                ? nil : try await client.delete(id, in: conversation)
        }
    }
}

struct ReactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "react", abstract: "Reacts to a message, in place of what you reacted before.",
        discussion: """
            MESSAGE as of `parley edit`; --last is the others' last.

            Example:
              parley react --as bob/phone --conversation 'Morning run' --last 👍
            """)

    @OptionGroup var target: TargetOptions
    @Argument(help: ArgumentHelp("The message, and the reaction; '' takes yours back.", valueName: "MESSAGE EMOJI"))
    var words: [String]
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try target.check(words, "EMOJI")
        guard Reaction(argument: words.last ?? "") != nil else { throw ValidationError("EMOJI is one emoji, or ''") }
    }

    func run() async throws {
        let emoji = words.last ?? ""
        try await target.change(words, common, newest: { !$0.isOwn }) { client, id, conversation in
            try await client.react(to: id, in: conversation, with: emoji)
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

/// The message that a command changes: it is the first of the arguments, unless it is the last that was written.
struct TargetOptions: ParsableArguments {
    @OptionGroup var sender: SenderOptions

    @Option(help: ArgumentHelp("The conversation that it is in.", valueName: "NAME")) var conversation: ConversationName

    @Flag(help: "The newest message, in place of MESSAGE.") var last = false

    /// - Parameter second: what stands behind the message, if anything does.
    func check(_ words: [String], _ second: String?) throws {
        let count = (last ? 0 : 1) + (second == nil ? 0 : 1)
        guard words.count == count else {
            let names = [last ? nil : "MESSAGE", second].compactMap(\.self).joined(separator: " and ")
            throw ValidationError(
                names.isEmpty ? "--last says which message; leave MESSAGE out" : "\(names) are wanted")
        }
        if !last, let word = words.first, MessageName(argument: word) == nil {
            throw ValidationError("MESSAGE is a number, an id or the beginning of one")
        }
    }

    /// Makes the change, waits for the gateway, and prints its reply.
    ///
    /// - Parameter newest: which messages `--last` may mean.
    func change(
        _ words: [String], _ common: CommonOptions, newest: @escaping @Sendable (TargetMessage) -> Bool,
        _ make: @Sendable (MessagingClient, MessageID, ConversationID) async throws -> MessageID?
    ) async throws {
        let name = last ? nil : words.first.flatMap { MessageName(argument: $0) }
        try await common.deliver(as: sender) { client in
            let conversation = try await conversation.find(by: client)
            _ = try await client.conversation(conversation)
            let id =
                if let name { try await name.find(in: conversation, by: client) } else {
                    try await newestMessage(newest, conversation, by: client)
                }
            // A device can only change messages that it has, and for a whole id none was read. Of one that is gone the
            // gateway says so.
            if case .id? = name { _ = try? await client.message(id, in: conversation) }
            return try await make(client, id, conversation).map { ($0, conversation) }
        }
    }

    private func newestMessage(
        _ isWanted: (TargetMessage) -> Bool, _ conversation: ConversationID, by client: MessagingClient
    ) async throws -> MessageID {
        let found = try await client.newest(in: conversation) { message in
            message.isWhole && isWanted(TargetMessage(isOwn: message.sender.user == client.device.user))
        }
        guard let found else { throw ToolError(.rejected, "there is no such message in this conversation") }
        return found
    }
}

/// What is asked of a message before it is taken for the last one.
struct TargetMessage: Sendable { let isOwn: Bool }

extension ChatMessage {
    /// Whether it has what can be changed or reacted to.
    fileprivate var isWhole: Bool {
        switch content {
        case .opened: kind == .known(.message)
        case .removed, .system, .unreadable: false
        }
    }
}
