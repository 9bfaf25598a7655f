import ArgumentParser
import ParleyClient
import ParleyProtocol

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Sends a text or a file, end-to-end encrypted, and prints the reply.",
        discussion: """
            The text is sealed here for every device of everybody in the conversation; the gateway cannot read it. \
            In JSON the reply is printed as the gateway gives it. Exit status 0: the gateway has stored the message; \
            1: it was refused, or somebody's key has changed and was not accepted, or nobody has keys.

            SUITE is \(Suite.Bound.names). Without one the usual one is taken: the first, and in groups the last.

            A text is sent beside a `parley chat` of the same device, a file is not. A file is uploaded by the web \
            door first. What was broken off, by Ctrl-C too, goes on where it was when the same file is sent to the \
            same conversation again, or with the device's next chat.

            Examples:
              parley send --as alice/phone --to bob 'See you at six'
              git log -1 | parley send --as alice/phone --to bob -
              parley send --as alice/phone --conversation 'Morning run' --expires-in 3600 Hello
              parley send --as alice/phone --to bob --image sunrise.png 'At six'
              parley send --as alice/phone --to bob --voice note.wav
              parley send --as alice/phone --to bob --voice note.ogg --duration 12.5 --waveform 0,90,255,40
            """)

    @OptionGroup var sender: SenderOptions
    @OptionGroup var recipient: RecipientOptions
    @Option(help: ArgumentHelp("How it is sealed.", valueName: "SUITE")) var suite: Suite.Bound?

    @Option(
        name: .customLong("reply-to"),
        help: ArgumentHelp(
            "The message that it answers: its number, its id or the id's beginning.", valueName: "MESSAGE"))
    var replyTo: MessageName?

    @Option(
        name: .customLong("expires-in"),
        help: ArgumentHelp("How long it lasts; then it goes, on every device.", valueName: "SECONDS"))
    var expiresIn: Int?

    @Flag(help: "Others are notified of it in their quiet hours, too.") var urgent = false

    @OptionGroup var attachment: AttachmentOptions

    @Argument(
        help: ArgumentHelp(
            "What is sent; - reads it from standard input. With a file or picture, what stands beside it.",
            valueName: "TEXT"))
    var text: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let expiresIn, !Limits.expirySeconds.contains(expiresIn) {
            let range = Limits.expirySeconds
            throw ValidationError("--expires-in takes \(range.lowerBound) to \(range.upperBound) seconds")
        }
        if suite == .groupBox, recipient.to != nil {
            throw ValidationError("--suite \(Suite.Bound.groupBox.rawValue) is for groups")
        }
        if text?.isEmpty == true { throw ValidationError("TEXT is empty") }
        guard !attachment.isEmpty else {
            guard text != nil else { throw ValidationError("TEXT or a file says what is sent") }
            return
        }
        if suite != nil { throw ValidationError("--suite is for texts") }
        if attachment.voice != nil, text != nil { throw ValidationError("a voice message has no TEXT") }
    }

    func run() async throws {
        let text = text == "-" ? try SendCommand.readText() : text ?? ""
        if let kind = try attachment.kind() {
            try await FileDelivery(kind: kind, caption: self.text == nil ? nil : text, command: self).run()
        } else {
            try await send(text)
        }
    }

    private func send(_ text: String) async throws {
        let gateway = common.gateway
        let sender = try sender.device(gateway)
        let (outcome, events, titles) = try await gateway.messaging(as: sender, storage: .memory) { client in
            let events = client.events()
            return (try await attempt(text, by: client, gateway), events, await client.conversationTitles())
        }
        // They end with the client.
        for await event in events {
            if let line = event.warning(for: sender, titles) { Terminal.report(line) }
        }
        switch outcome {
        case .success(let delivery): try delivery.report(to: sender, gateway, by: common.output)
        case .failure(let error): throw gateway.failure(of: error, sender)
        }
    }

    private func attempt(
        _ text: String, by client: MessagingClient, _ gateway: LocalGateway
    ) async throws -> Result<Delivery, ClientError> {
        do {
            try await client.ready(timeout: gateway.timeout)
            let conversation = try await recipient.conversation(by: client).id
            let original = try await replyTo?.find(in: conversation, by: client)
            let id = try await client.send(
                .text(text), to: conversation, replyTo: original, expiresIn: expiresIn.map { .seconds($0) },
                suite: suite, isUrgent: urgent)
            return .success(try await client.delivery(of: id, in: conversation, timeout: gateway.timeout))
        } catch let error as ClientError {
            return error.rejection.map { .success(.rejected($0)) } ?? .failure(error)
        }
    }

    /// All of standard input as one text, but for the line's end.
    private static func readText() throws(ToolError) -> String {
        var bytes = try StandardInput.read()
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ToolError(.usage, "standard input is not UTF-8")
        }
        guard !text.isEmpty else { throw ToolError(.usage, "standard input is empty") }
        return text
    }
}

/// Whom a message is for.
struct RecipientOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The user it is for.", valueName: "UID")) var to: UserID?

    @Option(
        help: ArgumentHelp(
            "The conversation it is for, in place of --to: its name, its id, or the beginning of one.",
            valueName: "NAME"))
    var conversation: ConversationName?

    func validate() throws {
        guard (to == nil) != (conversation == nil) else {
            throw ValidationError("--to UID or --conversation NAME says whom it is for")
        }
    }

    func conversation(by client: MessagingClient) async throws -> ConversationSummary {
        if let conversation { return try await client.conversation(conversation.find(by: client)) }
        // One of the two is there: see `validate`.
        guard let to else { throw ClientError.cancelled }
        return try await client.conversation(with: to)
    }
}
