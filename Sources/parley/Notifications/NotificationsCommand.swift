import ArgumentParser
import ParleyClient
import ParleyProtocol

struct NotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications", abstract: "Shows what concerns the user and is no message.",
        discussion: """
            The newest come last; those that are not read are marked with *. The gateway keeps them for seven days. \
            With --follow each is shown once, also those that came while the connection was broken, until Ctrl-C, or \
            until nobody reads on.

            Examples:
              parley notifications --as alice/phone
              parley notifications --as alice/phone --mark-read
              parley notifications --as alice/phone --limit 0 --follow --json | jq -r .type
            """)

    @OptionGroup var reader: SenderOptions
    @Option(help: ArgumentHelp("How many to show, the newest.", valueName: "N")) var limit = 50
    @Flag(help: "Mark everything as read.") var markRead = false
    @Flag(help: "Go on with those that come, until Ctrl-C.") var follow = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (0...Limits.pageItems).contains(limit) else {
            throw ValidationError("--limit takes 0 to \(Limits.pageItems)")
        }
    }

    func run() async throws {
        Terminal.endQuietlyWithReader()
        if follow { Terminal.endQuietlyWhenAsked() }
        let gateway = common.gateway
        let device = try reader.device(gateway)
        try await gateway.messaging(as: device, storage: .memory) { client in
            // From before the list, so that nothing falls between.
            let events = client.events()
            try await client.ready(timeout: gateway.timeout)
            let isJSON = common.output.isJSON
            let titles = isJSON ? Titles() : await client.titles()
            var feed = ShownNotifications()
            if limit > 0 || follow {
                // All that there may be, so that nothing of it is shown later as if it were new.
                let page = try await client.notifications.list(
                    page: Page(limit: follow ? Limits.pageItems : limit))
                if page.items.isEmpty, !isJSON, limit > 0 { Terminal.report("there is nothing yet") }
                feed.add(page.items).suffix(limit).forEach { show($0, titles) }
            }
            if markRead { try await client.notifications.markAllRead() }
            guard follow else { return }
            for await event in events {
                switch event {
                case .gateway(let notification as FeedNotification):
                    feed.add([notification]).forEach { show($0, titles) }
                case .connected, .missed: try await showMissed(&feed, titles, by: client)
                case .ended(let cause): throw ToolError(.noAnswer, gateway.sentence(cause, device))
                default: break
                }
            }
        }
    }

    /// Shows what came while nothing was heard. Without an answer the next connection asks again.
    private func showMissed(
        _ feed: inout ShownNotifications, _ titles: Titles, by client: MessagingClient
    ) async throws {
        do throws(ClientError) {
            let missed = try await feed.addMissed { page throws(ClientError) in
                let page = try await client.notifications.list(page: page)
                return (page.items, page.nextCursor)
            }
            missed.forEach { show($0, titles) }
        } catch {
            guard error.passes else { throw error }
        }
    }

    private func show(_ notification: FeedNotification, _ titles: Titles) {
        common.output.print(notification, as: notification.line(in: .local, titles))
    }
}
