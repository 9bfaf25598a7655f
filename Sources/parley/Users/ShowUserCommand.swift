import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ShowUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows what the gateway knows of a user, without any content.",
        discussion: """
            The privacy, the devices with the time of their last request and the end of their tokens, the groups, and how \
            much there is.
            """)

    @Argument(help: ArgumentHelp("The user's id.", valueName: "UID")) var user: UserID
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let details = try await common.gateway.ask(GetUser(user: user))
        if common.output.isJSON { return Terminal.printJSON(details.json) }
        for (name, value) in details.lines { Terminal.print("\(name): \(value)") }
        printTable(of: details.devices, DeviceSummary.headings) { $0.row }
        printTable(of: details.groups, ["GROUP", "NAME", "ROLE", "SINCE"]) { group in
            let id = group.group.map(\.description) ?? group.conversation.description
            return [id, group.name ?? "", group.role.rawValue, String(group.joinedAt.description.prefix(10))]
        }
        if details.groups.count < details.counts.groups {
            Terminal.report("these are the first \(details.groups.count) of \(details.counts.groups) groups")
        }
    }

    private func printTable<Item>(of items: [Item], _ headings: [String], row: (Item) -> [String]) {
        guard !items.isEmpty else { return }
        var table = Table(headings: headings)
        for item in items { table.add(row(item)) }
        Terminal.print("")
        table.print()
    }
}

extension UserDetails {
    fileprivate var lines: [(String, String)] {
        var lines = [("user", user.text), ("name", displayName), ("since", String(createdAt.description.prefix(10)))]
        if let disabledAt { lines.append(("disabled", "since \(disabledAt): signs in nowhere")) }
        let ways = signsInBy.map { $0.provider.text }
        lines += [
            ("signs in by", (ways.isEmpty ? ["devices that an operator makes"] : ways).joined(separator: ", ")),
            ("may be written to by", privacy.messagePrivacy == .anyone ? "anyone" : "friends; others ask first"),
            ("shows presence to", privacy.presence == .friends ? "friends" : "nobody"),
            ("sends read receipts", privacy.sendsReadReceipts ? "yes" : "no"),
            ("sends typing", privacy.sendsTyping ? "yes" : "no"),
            ("shares workout data", privacy.sharesWorkoutData ? "yes" : "no"),
            ("conversations", "\(counts.conversations), of these \(counts.groups) of groups"),
            ("followers", "\(counts.followers)"), ("follows", "\(counts.following)"),
            ("files", "\(counts.blobs), \(counts.blobBytes) bytes"), ("devices", "\(devices.count)"),
        ]
        return lines
    }
}
