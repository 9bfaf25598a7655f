import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Prints messages as they come, opened.",
        discussion: """
            One line for each message of all the user's conversations, or of one: for people, or with --json for \
            programs, as a JSON object with the header's fields under the protocol's names and content, the object that \
            was sealed. Where a message cannot be opened there is error with code and message in its place, and the \
            message once more if it can be opened later. What the gateway itself says has system. Edits, deletions and \
            reactions are lines of their own, with kind and target_id. What was sent before this device was linked is one \
            line for people, and with --json an object each, as all that cannot be opened.

            With --events what happens beside messages is printed, too: who asks to write, who is a friend or blocked, \
            which conversations there are, how much is unread and which messages have disappeared. With --json these \
            are objects with event, its name.

            Nothing is missing and nothing comes twice, however often the connection breaks. It ends with status 0 at \
            Ctrl-C, and when nobody reads on. It runs beside a `parley chat` of the same device.

            Examples:
              parley listen --as bob/phone
              parley listen --as bob/phone --history 10 --json | jq -r .content.text
            """)

    @OptionGroup var listener: SenderOptions

    @Option(help: ArgumentHelp("The only conversation to listen to.", valueName: "ID"))
    var conversation: ConversationID?

    @Option(help: ArgumentHelp("How many earlier records of each conversation come first.", valueName: "N"))
    var history: Int = 0

    @Flag(help: "One JSON object a line.") var json = false
    @Flag(help: "Other events, too.") var events = false
    @OptionGroup var common: CommonOptions

    static let mostHistory = 10_000

    func validate() throws {
        guard (0...ListenCommand.mostHistory).contains(history) else {
            throw ValidationError("--history takes 0 to \(ListenCommand.mostHistory)")
        }
    }

    func run() async throws {
        Terminal.endQuietlyWhenAsked()
        Terminal.endQuietlyWithReader()
        let gateway = common.gateway
        let device = try listener.device(gateway)
        try await gateway.messaging(
            as: device, storage: .memory, follows: conversation.map { .only([$0]) } ?? .all
        ) { client in
            let events = client.events()
            try await client.ready(timeout: gateway.timeout)
            if let conversation { _ = try await client.conversation(conversation) }
            var follower = ConversationFollower(
                client: client, only: conversation, print: print, printEarlier: json ? nil : printEarlier)
            try await follower.begin(history: history)
            Terminal.report("listening as \(device)")
            try await follower.printHistory()
            var complaint: String?
            for await event in events {
                try await follower.handle(event)
                if self.events, let line = event.line(asJSON: json) {
                    if json { Terminal.printJSON(line) } else { Terminal.print(line) }
                }
                try complain(of: event, device, gateway, after: &complaint)
            }
        }
    }

    private func print(_ message: ChatMessage) {
        if json { Terminal.printJSON(message.json) } else { Terminal.print(message.readableLine(in: .local)) }
    }

    private func printEarlier(_ run: EarlierMessages, _ conversation: ConversationID) {
        let stamp = run.newest.map { TimeZone.local.civil($0).stamp + " " } ?? ""
        Terminal.print("\(stamp)\(conversation.description.prefix(8)) (\(run.sentence))")
    }

    /// - Parameter complaint: the last report of a lost connection, so that it is not repeated.
    private func complain(
        of event: ClientEvent, _ device: DeviceAddress, _ gateway: LocalGateway, after complaint: inout String?
    ) throws(ToolError) {
        switch event {
        case .connected:
            if complaint != nil { Terminal.report("connected again") }
            complaint = nil
        case .waiting(let cause):
            let sentence = gateway.sentence(cause, device)
            if sentence != complaint { Terminal.report("\(sentence); trying again") }
            complaint = sentence
        case .ended(let cause): throw ToolError(.noAnswer, gateway.sentence(cause, device))
        case .conversationRemoved(let id):
            Terminal.report("conversation \(id) has ended, or is a message request now")
        case .historyReset(let id):
            Terminal.report("the gateway was put back to an earlier state: the history of \(id) begins anew from there")
        case .storageFailed(let error): Terminal.report("\(error)")
        case .gateway, .message, .change, .messageExpired, .status, .receipt, .typing, .conversationAdded,
            .conversationChanged, .messageRequest, .dayReported, .workoutReported, .presence, .push, .failed, .missed,
            .keys, .leftOut, .gatewayFault, .membersChanged, .resendRequested, .resent, .tokenNotRenewed,
            .requestRefused, .upload:
            if let line = event.warning(for: device) { Terminal.report(line) }
        }
    }
}
