import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Prints messages as they come, opened.",
        discussion: """
            One line for each message of all the user's conversations, or of one: for people, or as a JSON object \
            with the header's fields under the protocol's names and content, the object that was sealed. Where a \
            message cannot be opened there is error with code and message in its place, and the message once more if \
            it can be opened later. What the gateway itself says has system. Edits, deletions and reactions are \
            lines of their own, with kind and target_id. What was sent before this device was linked is one line for \
            people, and in JSON an object each, as all that cannot be opened.

            With --events what happens beside messages is printed, too: who asks to write, who is a friend or \
            blocked, which conversations there are, how much is unread and which messages have disappeared. In JSON \
            these are objects with event, its name.

            Nothing is missing and nothing comes twice, however often the connection breaks. It ends with status 0 \
            at Ctrl-C, and when nobody reads on. It runs beside a `parley chat` of the same device.

            Examples:
              parley listen --as bob/phone
              parley listen --as bob/phone --history 10 --json | jq -r .content.text
              parley listen --as bob/phone --conversation 'Morning run' --ids
            """)

    @OptionGroup var listener: SenderOptions

    @Option(help: ArgumentHelp("The only conversation to listen to.", valueName: "NAME")) var conversation:
        ConversationName?

    @Option(help: ArgumentHelp("How many earlier records of each conversation come first.", valueName: "N"))
    var history: Int = 0

    @Flag(help: "Other events, too.") var events = false
    @Flag(help: "The number and the id of each message, which other commands take.") var ids = false
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
        var follows = ClientConfiguration.Following.all
        if let id = conversation?.id { follows = .only([id]) }
        let device = try listener.device(gateway)
        try await gateway.messaging(as: device, storage: .memory, follows: follows) { client in
            let events = client.events()
            try await client.ready(timeout: gateway.timeout)
            var only: ConversationID?
            if let conversation {
                let id = try await client.conversationID(named: conversation.text)
                only = id
                _ = try await client.conversation(id)
            }
            let book = await TitleBook(of: client)
            let isJSON = common.output.isJSON
            if self.events, !isJSON { for group in (try? await client.trainingGroups.all()) ?? [] { book.add(group) } }
            let earlier: @Sendable (EarlierMessages, ConversationID) -> Void = { run, id in
                printEarlier(run, book.place(of: id))
            }
            var follower = ConversationFollower(
                client: client, only: only, print: { message in print(message, book) },
                printEarlier: isJSON ? nil : earlier)
            try await follower.begin(history: history)
            Terminal.report("listening as \(device)")
            try await follower.printHistory()
            var complaint: String?
            for await event in events {
                book.add(event)
                try await follower.handle(event)
                if self.events, let line = event.line(asJSON: isJSON, book.titles) {
                    if isJSON { Terminal.printJSON(line) } else { Terminal.print(line) }
                }
                try complain(of: event, device, gateway, book.titles, after: &complaint)
            }
        }
    }

    private func print(_ message: ChatMessage, _ book: TitleBook) {
        if common.output.isJSON { return Terminal.printJSON(message.json) }
        let line = message.readableLine(in: .local, book.place(of: message.conversation))
        let number = message.position.map { "#\($0.seq) " } ?? ""
        Terminal.print(ids ? "\(number)\(message.id.short) \(line)" : line)
    }

    private func printEarlier(_ run: EarlierMessages, _ place: String) {
        let stamp = run.newest.map { TimeZone.local.civil($0).stamp + " " } ?? ""
        Terminal.print("\(stamp)\(place) (\(run.sentence))")
    }

    /// - Parameter complaint: the last report of a lost connection, so that it is not repeated.
    private func complain(
        of event: ClientEvent, _ device: DeviceAddress, _ gateway: LocalGateway, _ titles: Titles,
        after complaint: inout String?
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
        case .conversationRemoved(let id): Terminal.report("\(titles[id]) has ended, or is a message request now")
        case .historyReset(let id):
            Terminal.report(
                "the gateway was put back to an earlier state: the history of \(titles[id]) begins anew from there")
        case .storageFailed(let error): Terminal.report("\(error)")
        case .gateway, .messageAdded, .messageChanged, .change, .messageRemoved, .status, .receipt, .typing,
            .conversationAdded,
            .conversationChanged, .messageRequest, .dayReported, .workoutReported, .presence, .push, .failed, .missed,
            .keys, .leftOut, .gatewayFault, .membersChanged, .resendRequested, .resent, .tokenNotRenewed,
            .requestRefused, .upload:
            if let line = event.warning(for: device, titles) { Terminal.report(line) }
        }
    }
}
