import ArgumentParser
import ParleyClient
import ParleyProtocol

struct InviteCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Makes an invite to a group, and prints its link.",
        discussion: """
            The link is shown once: the gateway does not keep it. It stands alone in a pipe, too; --json prints the \
            invite, whose member url it is.
            """)

    @OptionGroup var sender: SenderOptions
    @OptionGroup var choice: GroupOptions

    @Option(
        name: .customLong("expires-in"),
        help: ArgumentHelp("How long it opens the group. Default: a week.", valueName: "SECONDS"))
    var expiresIn = CreateInvite.usualLife

    @Option(help: ArgumentHelp("How many may come by it. Default: as many as there is room for.", valueName: "N"))
    var uses: Int?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard Limits.expirySeconds.contains(expiresIn) else {
            throw ValidationError("--expires-in takes 1 to \(Limits.expirySeconds.upperBound) seconds")
        }
        if let uses, !Limits.inviteUses.contains(uses) {
            throw ValidationError("--uses takes 1 to \(Limits.inviteUses.upperBound)")
        }
    }

    func ask(_ client: MessagingClient) async throws -> Invite {
        try await client.invites.create(to: choice.choose(by: client).id, lasting: .seconds(expiresIn), uses: uses)
    }

    func show(_ invite: Invite) {
        common.output.print(value: invite.url ?? "", json: invite.json)
        Terminal.report("opens the group until \(TimeZone.local.civil(invite.expiresAt).stamp)")
    }
}

struct ListInvitesCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "invites", abstract: "Lists the invites that still open a group: an admin sees all.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var choice: GroupOptions
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> [Invite] {
        try await client.invites.all(to: choice.choose(by: client).id)
    }

    func show(_ invites: [Invite]) {
        common.output.print(invites, headings: ["INVITE", "BY", "ENDS", "USES LEFT"]) { invite in
            [
                invite.id.description, invite.createdBy.text, TimeZone.local.civil(invite.expiresAt).stamp,
                invite.usesLeft.map { String($0) } ?? "any",
            ]
        }
    }
}

struct RevokeInviteCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Ends an invite: nobody comes by it any more.")

    @OptionGroup var sender: SenderOptions

    @Argument(
        help: ArgumentHelp(
            "The invite's id, as parley group invites lists it, or its beginning.", valueName: "INVITE"))
    var invite: InviteName

    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> Invite {
        try await client.invites.revoke(invite.find(by: client))
    }

    func show(_ invite: Invite) { common.output.print(invite, as: "revoked \(invite.id.short)") }
}

struct JoinGroupCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Accepts an invite to a group.")

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("The link of an invite, or its token.", valueName: "LINK")) var link: String
    @OptionGroup var common: CommonOptions

    func validate() throws { _ = try token() }

    func ask(_ client: MessagingClient) async throws -> TrainingGroup { try await client.invites.accept(token()) }

    func show(_ group: TrainingGroup) {
        let others = group.memberCount - 1
        common.output.print(
            group, as: "you are in \(group.name) now, with \(others == 1 ? "1 other" : "\(others) others")")
    }

    private func token() throws -> InviteToken {
        guard let token = InviteToken(linkOrToken: link) else {
            throw ValidationError("LINK is no link to a group, and no token")
        }
        return token
    }
}

extension InviteToken {
    /// From a token, or a link to a group that ends in one.
    init?(linkOrToken text: String) {
        if let token = InviteToken(text) {
            self = token
        } else if case .invite(let token)? = AppLink(text) {
            self = token
        } else {
            return nil
        }
    }
}
