import ArgumentParser
import Platform
import ParleyClient
import ParleyProtocol

struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Talks with another user, end-to-end encrypted, in the terminal.",
        discussion: """
            Shows what was said, takes what you write below it, and shows what comes as it comes. Behind your own \
            messages stands how far they have come: … waiting, ✓ stored by the gateway, ✓✓ delivered, and read once \
            it says so. What you write without a connection is kept on the device and sent when there is one, also by \
            the next chat. /help says what else there is; Ctrl-D on an empty line ends it.

            The messages are kept in DIR/devices/UID/DID/messages.db, encrypted, for one chat of a device at a time. A \
            second device of your own is made by: parley device add UID NAME

            Where standard input or output is no terminal it reads a message from each line, prints one for each that \
            comes or was sent, and ends at the end of its input, when the gateway has all of them.

            A messages.db that was damaged is refused and left as it is. --recover puts a new one in its place, with \
            what waited to be sent, and says where the old one is now; everything else is fetched again.

            Examples:
              parley chat --as alice/phone --with bob
              printf 'one\\ntwo\\n' | parley chat --as alice/phone --with bob
            """)

    @OptionGroup var peers: PeerOptions
    @Flag(help: "Recovers the device's messages first, if what is kept of them is damaged.") var recover = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        let terminalName = Environment["TERM"] ?? "dumb"
        let isOnTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && terminalName != "dumb"
        if !isOnTerminal { Terminal.endQuietlyWhenAsked() }
        let device = try peers.device(gateway)
        let keys = try gateway.keyStore(of: device)
        if recover { Terminal.report(try gateway.recoverStorage(of: device, keys: keys).sentence) }
        try await gateway.messaging(
            as: device, keys: keys, storage: .database, follows: .all,
            persistence: isOnTerminal ? .always : .onceReached
        ) { client in
            if isOnTerminal {
                let chat = TerminalChat(client: client, gateway: gateway, other: peers.other)
                try await chat.run()
            } else {
                let chat = PlainChat(client: client, gateway: gateway, other: peers.other)
                try await chat.run()
            }
        }
    }
}
