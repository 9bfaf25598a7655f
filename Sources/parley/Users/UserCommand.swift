import ArgumentParser
import ParleyClient
import ParleyProtocol

struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Adds, shows, disables, exports and removes users.",
        subcommands: [
            AddUserCommand.self, ListUsersCommand.self, ShowUserCommand.self, RenameUserCommand.self,
            DisableUserCommand.self, EnableUserCommand.self, RemoveUserCommand.self, ExportUserCommand.self,
            EraseUserCommand.self,
        ])

    @OptionGroup var common: CommonOptions
}

struct AddUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds a user.",
        discussion: """
            Adding a user who is there already changes nothing: it is an error if the name or --message-privacy differs.
            """)

    @Argument(help: ArgumentHelp("The user's id: 1 to 64 letters, digits, _ or -.", valueName: "UID"))
    var user: UserID

    @Option(help: ArgumentHelp("What people see, at most \(Limits.nameCharacters) characters.", valueName: "NAME"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Who may write to the user without asking, until the user says otherwise: followers, by which friends are "
                + "meant and which is the default, or anyone.",
            valueName: "WHO"))
    var messagePrivacy: MessagePrivacy?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        // Only a sentence says it: the gateway's reply is the same either way.
        let isNew = common.output.isJSON ? true : try await !isThere()
        let data = try await common.gateway.data(
            of: AddUser(user: user, displayName: name, messagePrivacy: messagePrivacy))
        let added = try UserSummary(reply: data)
        common.output.print(
            json: added.json, as: [isNew ? "added \(user)" : "\(user) is there already; nothing has changed"])
    }

    private func isThere() async throws -> Bool {
        do {
            _ = try await common.gateway.ask(GetUser(user: user))
            return true
        } catch let failure as ToolError where failure.status == .rejected {
            return false
        }
    }
}

struct ListUsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the users and their devices.",
        discussion: "In JSON: user_id, display_name, created_at, devices, is_disabled.")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        var table = Table(headings: ["USER", "NAME", "SINCE", "STATE", "DEVICES"])
        let isJSON = common.output.isJSON
        var cursor: String?
        repeat {
            let page = try await common.gateway.data(
                of: ListUsers(page: Page(limit: Limits.pageItems, cursor: cursor)))
            for user in try page.objects("users", maximum: Limits.pageItems) ?? [] {
                let user = try UserSummary(reply: user)
                if isJSON { Terminal.printJSON(user.json) } else { table.add(user.row) }
            }
            cursor = try page.text("next_cursor", maximum: 1024)
        } while cursor != nil
        if !isJSON { table.print() }
    }
}

extension UserSummary {
    fileprivate init(reply object: JSONObject) throws(ToolError) {
        guard let user = try? object.level("user_id", as: UserID.self),
            let name = try? object.text("display_name", maximum: .max),
            let created = try? object.text("created_at", maximum: 64), let createdAt = Timestamp(created)
        else { throw ToolError(.noAnswer, NoReplyError.malformedReply.description) }
        let devices = (try? object.levels("devices", maximum: .max)) ?? [DeviceID]()
        self.init(
            user: user, displayName: name, createdAt: createdAt, devices: devices,
            isDisabled: (try? object.bool("is_disabled")) ?? false)
    }

    fileprivate var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.finish()
    }

    fileprivate var row: [String] {
        [
            user.text, displayName, String(createdAt.description.prefix(10)), isDisabled ? "disabled" : "",
            devices.map(\.text).joined(separator: " "),
        ]
    }
}
