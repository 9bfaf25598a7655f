import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ListenPushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Shows what is pushed to a user, opened, as it happens.",
        discussion: """
            What a push service brings to a sleeping device comes to connected ones on a topic of the user's, and is \
            shown from there: who has written and what, where it leads, and what the app's icon would count. In JSON \
            cleared says what is to be taken away.

            Who listens is connected, and who is connected is notified of messages only where the gateway's setting \
            push_always says so.

            Where there is notify-send it is shown on the desktop, too, but for what was read already; --no-desktop \
            leaves that out. It ends with status 0 at Ctrl-C, and when nobody reads on.

            Examples:
              parley push listen --as bob/phone
              parley push listen --as bob/phone --no-desktop --json | jq -r .link
            """)

    @OptionGroup var listener: SenderOptions

    @Flag(name: .customLong("no-desktop"), help: "Show nothing on the desktop.")
    var noDesktop = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        Terminal.endQuietlyWhenAsked()
        Terminal.endQuietlyWithReader()
        let gateway = common.gateway
        let device = try listener.device(gateway)
        let desktop = noDesktop ? nil : Desktop(path: Environment["PATH"])
        try await gateway.messaging(as: device, storage: .memory) { client in
            var latest = LatestBadge()
            let events = client.events()
            try await client.ready(timeout: gateway.timeout)
            Terminal.report("listening for what is pushed to \(device.user)")
            for await event in events {
                switch event {
                case .push(let push):
                    if let badge = push.badge { latest.merge(badge) }
                    show(push, latest)
                    desktop?.show(push)
                case .gateway(let cleared as NotificationsCleared):
                    latest.merge(cleared.badgeThen)
                    show(cleared, latest)
                case .ended(let cause): throw ToolError(.noAnswer, gateway.sentence(cause, device))
                case .waiting(let cause):
                    Terminal.report("\(gateway.sentence(cause, device)); trying again")
                case .keys, .gatewayFault, .tokenNotRenewed:
                    if let line = event.warning(for: device) { Terminal.report(line) }
                default: break
                }
            }
        }
    }

    private func show(_ push: OpenedPush, _ latest: LatestBadge) {
        common.output.print(json: push.json, as: [push.line(in: .local, latest)])
    }

    private func show(_ cleared: NotificationsCleared, _ latest: LatestBadge) {
        if common.output.isJSON {
            return Terminal.printJSON(
                JSONWriter.object { object in
                    object.key("cleared")
                    cleared.write(to: &object)
                })
        }
        let what =
            cleared.conversation.map { "conversation \($0)" + (cleared.seq.map { " up to number \($0)" } ?? "") }
            ?? cleared.ids.map { "\($0.count) notifications" } ?? "all notifications"
        Terminal.print("\(TimeZone.local.civil(cleared.at).stamp) \(what) were read [badge \(latest.count)]")
    }
}
