import ArgumentParser
import Platform
import ParleyClient
import ParleyProtocol

struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Talks with other users, end-to-end encrypted, in the terminal.",
        discussion: """
            Shows what was said, takes what you write below it, and shows what comes as it comes. Without --with and \
            --conversation it begins with the list of conversations; Tab comes back to it. Behind your own messages \
            stands how far they have come: … waiting, ✓ stored by the gateway, ✓✓ delivered, and read once it says so. \
            What you write without a connection is kept on the device and sent when there is one, also by the next chat. \
            A message counts as read once it has been on the screen. /help says what else there is; Ctrl-D on an empty \
            line ends it.

            The messages are kept in DIR/devices/UID/DID/messages.db, encrypted, for one chat of a device at a time. A \
            second device of your own is made by: parley device add UID NAME

            With --plain each line is whole when it comes and nothing moves, for screen readers. With NO_COLOR in the \
            environment there are no colours. Where standard input or output is no terminal it reads a message from each \
            line, prints one for each that comes or was sent, and ends at the end of its input, when the gateway has all \
            of them.

            A messages.db that was damaged is refused and left as it is. --recover puts a new one in its place, with \
            what waited to be sent, and says where the old one is now; everything else is fetched again.

            Examples:
              parley chat --as alice/phone --with bob
              parley chat --as alice/phone --conversation 'Morning run'
              printf 'one\\ntwo\\n' | parley chat --as alice/phone --with bob
            """)

    @OptionGroup var sender: SenderOptions
    @Option(name: .customLong("with"), help: ArgumentHelp("The other user.", valueName: "UID")) var other: UserID?

    @Option(
        help: ArgumentHelp(
            "A conversation, in place of --with: its name, its id, or the beginning of one.", valueName: "NAME"))
    var conversation: String?

    @Flag(help: "Line by line, with nothing that moves.") var plain = false
    @Flag(help: "Rings the terminal's bell for what comes, as PARLEY_BELL=1 in the environment does; /bell changes it.")
    var bell = false
    @Flag(help: "Recovers the device's messages first, if what is kept of them is damaged.") var recover = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try common.output.refuse(\.json, because: "parley listen prints messages for programs")
        if other != nil, conversation != nil { throw ValidationError("--with and --conversation exclude each other") }
        if let other, other == sender.named?.user { throw ValidationError("--with takes another user than --as") }
    }

    func run() async throws {
        let gateway = common.gateway
        let device = try sender.device(gateway)
        let isOnTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        let isPlain = plain || (Environment["TERM"] ?? "dumb") == "dumb"
        if !isOnTerminal || isPlain { Terminal.endQuietlyWhenAsked() }
        guard isOnTerminal || target != .list else {
            throw ToolError(.usage, "--with or --conversation says with whom, where standard input is no terminal")
        }
        let keys = try gateway.keyStore(of: device)
        if recover { Terminal.report(try gateway.recoverStorage(of: device, keys: keys).sentence) }
        let (target, rings) = (target, bell || Environment["PARLEY_BELL"] == "1")
        try await gateway.messaging(
            as: device, keys: keys, storage: .database, follows: .all,
            persistence: isOnTerminal ? .always : .onceReached
        ) { client in
            guard isOnTerminal else {
                return try await PlainChat(client: client, gateway: gateway, target: target).run()
            }
            let chat = TerminalChat(client: client, gateway: gateway, target: target, rings: rings)
            if isPlain { try await chat.runInLines() } else { try await chat.run() }
        }
    }

    /// The device of a chat that nobody has to be asked for: there is a terminal, and one device.
    static func obviousDevice(_ gateway: LocalGateway) -> DeviceAddress? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
        return try? gateway.defaultDevice()
    }

    private var target: ChatTarget {
        if let other { return .user(other) }
        return conversation.map { .named($0) } ?? .list
    }
}
