import ArgumentParser
import ParleyClient
import ParleyProtocol

struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Groups that train together: makes them, invites to them, and ends them.",
        discussion: """
            Where no --group says which, the only one of the user's is meant. People come by invitations: whoever has the \
            link may join.

            Examples:
              parley group create --as alice/phone 'Morning run' --time-zone Europe/Berlin
              parley group invite --as alice/phone --uses 3
              parley group join --as bob/phone parley://group/invite/4nWAMnDRxFkuUEVJtqmRvw
              parley group members --as bob/phone
            """,
        subcommands: [
            CreateGroupCommand.self, ListGroupsCommand.self, GroupMembersCommand.self, InviteCommand.self,
            ListInvitesCommand.self, RevokeInviteCommand.self, JoinGroupCommand.self, RenameGroupCommand.self,
            SetGroupRoleCommand.self, RemoveGroupMemberCommand.self, LeaveGroupCommand.self, DeleteGroupCommand.self,
        ])

    @OptionGroup var common: CommonOptions
}

/// The group that a command acts on.
struct GroupOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The group, by its name or id or the beginning of one; without it, the only one of the user's.",
            valueName: "GROUP"))
    var group: GroupName?

    func choose(by client: MessagingClient) async throws -> TrainingGroup {
        if let group { return try await group.find(by: client) }
        let groups = try await client.trainingGroups.all()
        guard let only = groups.first else {
            throw ToolError(
                .rejected,
                "\(client.device.user) is in no group; make one by: parley group create --as \(client.device) NAME")
        }
        guard groups.count == 1 else {
            let names = groups.map(\.candidate).joined(separator: ", ")
            throw ToolError(.usage, "there are several; --group says which: \(names)")
        }
        return only
    }

    /// The id and the name of the group that the user leaves or ends. The group of a repeated command is gone for them
    /// already: then its id is its name.
    func chooseToEnd(by client: MessagingClient) async throws -> (GroupID, name: String) {
        do throws(ClientError) {
            if let group = group?.id {
                return (group, try await client.trainingGroups.group(group).name.printable)
            }
        } catch {
            guard let group = group?.id, case .refused(let rejection) = error, rejection.code == .notFound
            else { throw error }
            return (group, group.description)
        }
        let only = try await choose(by: client)
        return (only.id, only.name.printable)
    }
}

// MARK: Making and reading

struct CreateGroupCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Makes a group.")

    @OptionGroup var sender: SenderOptions

    @Argument(help: ArgumentHelp("1 to \(Limits.nameCharacters) characters.", valueName: "NAME"))
    var name: String

    @Option(
        name: .customLong("time-zone"),
        help: ArgumentHelp("Where its weeks begin, as Europe/Berlin. Default: UTC.", valueName: "ZONE"))
    var timeZone: String?

    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> TrainingGroup {
        try await client.trainingGroups.create(name: name, timeZone: timeZone)
    }

    func show(_ group: TrainingGroup) {
        common.output.print(
            group,
            as: "\(group.name) is made, with weeks of \(group.timeZone); invite others by: parley group invite")
    }
}

struct ListGroupsCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the groups of the user.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> [TrainingGroup] { try await client.trainingGroups.all() }

    func show(_ groups: [TrainingGroup]) {
        common.output.print(groups, headings: ["GROUP", "NAME", "MEMBERS", "WEEKS IN"]) { group in
            [group.id.description, group.name, String(group.memberCount), group.timeZone]
        }
    }
}

struct GroupMembersCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "members", abstract: "Lists who is in a group.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var choice: GroupOptions
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> TrainingGroup { try await choice.choose(by: client) }

    func show(_ group: TrainingGroup) {
        if common.output.isJSON { return Terminal.printJSON(group.json) }
        Terminal.print("\(group.name.printable)  \(group.id)")
        var table = Table(headings: ["USER", "NAME", "ROLE", "SINCE"])
        for member in group.members {
            table.add([
                member.user.text, member.username, member.role.name, TimeZone.local.civil(member.joinedAt).stamp,
            ])
        }
        table.print()
    }
}

// MARK: Changing

struct RenameGroupCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Gives a group another name.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var choice: GroupOptions

    @Argument(help: ArgumentHelp("1 to \(Limits.nameCharacters) characters.", valueName: "NAME"))
    var name: String

    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> (group: TrainingGroup, former: String) {
        let former = try await choice.choose(by: client)
        return (try await client.trainingGroups.rename(former.id, to: name), former.name)
    }

    func show(_ renamed: (group: TrainingGroup, former: String)) {
        common.output.print(renamed.group, as: "\(renamed.former) is called \(renamed.group.name) now")
    }
}

struct SetGroupRoleCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Makes a member an admin, or an admin a member.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var choice: GroupOptions
    @Argument(help: ArgumentHelp("Who.", valueName: "UID")) var user: UserID
    @Argument(help: ArgumentHelp("admin or member.", valueName: "ROLE")) var role: MemberRole
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> TrainingGroup {
        try await client.trainingGroups.setRole(role, of: user, in: choice.choose(by: client).id)
    }

    func show(_ group: TrainingGroup) { common.output.print(group, as: "\(user) is \(role.rawValue)") }
}

struct RemoveGroupMemberCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Takes somebody out of a group: no invite that there is now brings them back.",
        discussion: "To remove oneself is to leave.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var choice: GroupOptions
    @Argument(help: ArgumentHelp("Whom.", valueName: "UID")) var user: UserID
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> String {
        let group = try await choice.choose(by: client)
        // Also a user who is no member: the gateway decides.
        try await client.trainingGroups.remove(user, from: group.id)
        if try user == sender.device(common.gateway).user { return "left \(group.name.printable)" }
        let wasMember = group.members.contains { $0.user == user }
        return wasMember ? "removed \(user)" : "\(user) was not in \(group.name.printable)"
    }
}

struct LeaveGroupCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "leave", abstract: "Leaves a group.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var choice: GroupOptions
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> String {
        let (id, name) = try await choice.chooseToEnd(by: client)
        try await client.trainingGroups.leave(id)
        return "left \(name)"
    }
}

struct DeleteGroupCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Ends a group for everybody in it, with its conversation.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var choice: GroupOptions
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> String {
        let (id, name) = try await choice.chooseToEnd(by: client)
        try await client.trainingGroups.delete(id)
        return "ended \(name)"
    }
}
