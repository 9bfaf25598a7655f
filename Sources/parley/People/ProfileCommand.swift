import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ProfileCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Shows the profile of a user, or changes one's own.",
        discussion: """
            Options change one's own; what is not named stays as it is. The rest of it is set by `parley request \
            profile/set`.

            Examples:
              parley profile --as alice/phone bob
              parley profile --as alice/phone --name Alice --zone Europe/Berlin
            """)

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("Whose; without, one's own.", valueName: "UID")) var user: UserID?
    @Option(help: ArgumentHelp("What others see.", valueName: "NAME")) var name: String?
    @Option(
        name: .customLong("message-privacy"),
        help: ArgumentHelp("Who may write at once: \(MessagePrivacy.names).", valueName: "WHO")) var messagePrivacy:
        MessagePrivacy?
    @Option(help: ArgumentHelp("Where one lives, as Europe/Berlin.", valueName: "ZONE")) var zone: String?
    @OptionGroup var common: CommonOptions

    private var isChange: Bool { name != nil || messagePrivacy != nil || zone != nil }

    func validate() throws {
        if user != nil, isChange { throw ValidationError("only one's own profile is changed; leave UID out") }
    }

    func ask(_ client: MessagingClient) async throws -> ShownProfile {
        guard isChange else { return try await client.people.profile(of: user ?? client.device.user) }
        return try await client.people.changeProfile(
            ProfileChange(
                displayName: name, messagePrivacy: messagePrivacy, timeZone: zone.map { .set($0) } ?? .unchanged))
    }

    func show(_ profile: ShownProfile) {
        common.output.print(json: profile.json, as: profile.lines)
    }
}

extension ShownProfile {
    fileprivate var lines: [String] {
        var lines = ["\(displayName) (\(user))", "followers: \(followersCount), follows: \(followingCount)"]
        guard let settings else { return lines }
        lines += [
            "may write at once: \(settings.messagePrivacy.name)", "presence is shown to: \(settings.presence.name)",
            "read receipts: \(settings.sendsReadReceipts ? "sent" : "not sent")",
            "typing: \(settings.sendsTyping ? "shown" : "not shown")",
            "workouts: \(settings.sharesWorkoutData ? "shared with friends" : "not shared")",
        ]
        if let quiet = settings.quietHours { lines.append("quiet hours: \(quiet.from) to \(quiet.to)") }
        if let zone = settings.timeZone { lines.append("zone: \(zone)") }
        return lines
    }
}
