import ArgumentParser
import ParleyClient
import ParleyProtocol

struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Shows what the gateway publishes, as it happens.",
        discussion: """
            One line for each message: the time in UTC, the topic without parley/v1/, the event's type and its fields. \
            Retained messages, which are shown first, are marked. Ciphertext and keys are shown by their lengths, \
            secrets not at all.

            FILTER is a topic filter of MQTT, with or without parley/v1/ before it; + stands for one level, # for all \
            that follow. Without one everything is shown but what other devices ask and are answered.

            It goes on after the gateway was restarted, and ends with status 0 at Ctrl-C.

            Examples:
              parley tail
              parley tail 'conversations/+/messages'
              parley tail 'users/alice/#' | grep conversation.created
            """)

    @Argument(help: ArgumentHelp("What to show.", valueName: "FILTER")) var filter = TailFilter.everything
    @OptionGroup var common: CommonOptions

    func run() async throws {
        Terminal.endQuietlyWhenAsked()
        let gateway = common.gateway
        let filter = filter.text
        try await gateway.connect(as: gateway.console) { connection in
            connection.subscribe(to: filter)
            var complaint: String?
            for await event in connection.events { try show(event, of: gateway, after: &complaint) }
        }
    }

    /// - Parameter complaint: the last report of a lost connection, so that it is not repeated.
    private func show(_ event: DeviceEvent, of gateway: LocalGateway, after complaint: inout String?) throws(ToolError)
    {
        switch event {
        case .connected: complaint = nil
        case .subscribed(let filter): Terminal.report("showing \(filter)")
        case .subscriptionRefused(let filter): throw ToolError(.rejected, "the gateway refuses the filter \(filter)")
        case .message(let message): Terminal.print(EventLine(message: message, receivedAt: .now).description)
        case .missed(let count): Terminal.report("\(count) messages came too fast and are not shown")
        case .waiting(let cause, _):
            let sentence = gateway.sentence(cause, gateway.console)
            if sentence != complaint { Terminal.report("\(sentence); trying again") }
            complaint = sentence
        case .ended(let cause): throw ToolError(.noAnswer, gateway.sentence(cause, gateway.console))
        }
    }
}
