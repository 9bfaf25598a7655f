import ArgumentParser
import ParleyClient
import ParleyProtocol

struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Shows what the gateway publishes, as it happens.",
        discussion: """
            One line for each message: the time in UTC, the topic without parley/v1/, the event's type and its fields. \
            Ciphertext and keys are shown by their lengths, secrets not at all. Of the gateway's statistics, and of what \
            the broker has retained from before, nothing is shown unless it is asked for. Retained messages are marked.

            FILTER is a topic filter of MQTT, with or without parley/v1/ before it; + stands for one level, # for all \
            that follow. Without one everything is shown but what other devices ask and are answered.

            It goes on after the gateway was restarted, and ends with status 0 at Ctrl-C.

            Examples:
              parley tail
              parley tail 'conversations/+/messages'
              parley tail 'users/alice/#' | grep conversation.created
              parley tail --retained gateway/status
            """)

    @Argument(help: ArgumentHelp("What to show.", valueName: "FILTER")) var filter = TailFilter.everything
    @Flag(help: "Also show the gateway's statistics, which come every ten seconds.") var stats = false
    @Flag(help: "Also show, first, what the broker has retained from before.") var retained = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try common.output.refuse(\.json, because: "mosquitto_sub prints what is published, as it is")
    }

    func run() async throws {
        Terminal.endQuietlyWhenAsked()
        Terminal.endQuietlyWithReader()
        let gateway = common.gateway
        let selection = TailSelection(filter: filter, stats: stats, retained: retained)
        try await gateway.connect(as: gateway.console) { connection in
            connection.subscribe(to: selection.filter.text)
            var report = Report()
            for await event in connection.events { try show(event, selection, of: gateway, after: &report) }
        }
    }

    /// What was reported.
    private struct Report {
        /// Of the lost connection, so that it is not repeated.
        var complaint: String?
        /// Whether it was said, of this connection, what is shown.
        var hasSaidWhat = false

        mutating func say(_ selection: TailSelection) {
            guard !hasSaidWhat else { return }
            hasSaidWhat = true
            Terminal.report("showing \(selection)")
        }
    }

    private func show(
        _ event: DeviceEvent, _ selection: TailSelection, of gateway: LocalGateway, after report: inout Report
    ) throws(ToolError) {
        switch event {
        case .connected: report = Report()
        case .subscribed: report.say(selection)
        case .subscriptionRefused(let filter): throw ToolError(.rejected, "the gateway refuses the filter \(filter)")
        case .message(let message):
            // It may come before the broker's word that the subscription is granted.
            report.say(selection)
            guard selection.shows(message.topicName, isRetained: message.isRetained) else { return }
            Terminal.print(EventLine(message: message, receivedAt: .now).description)
        case .missed(let count): Terminal.report("\(count) messages came too fast and are not shown")
        case .waiting(let cause, _):
            let sentence = gateway.sentence(cause, gateway.console)
            if sentence != report.complaint { Terminal.report("\(sentence); trying again") }
            report.complaint = sentence
        case .ended(let cause): throw ToolError(.noAnswer, gateway.sentence(cause, gateway.console))
        }
    }
}
