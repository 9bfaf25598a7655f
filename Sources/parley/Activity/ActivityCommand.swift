import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ActivityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity", abstract: "Shows what the user and their friends have achieved, and reacts to it.",
        subcommands: [
            ListActivityCommand.self, PostActivityCommand.self, ReactToActivityCommand.self,
            UnreactToActivityCommand.self,
        ], defaultSubcommand: ListActivityCommand.self)

    @OptionGroup var common: CommonOptions
}

struct ListActivityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists what the user and their friends have achieved.",
        discussion: """
            The newest come last, with who of one's friends reacts how.

            Examples:
              parley activity --as alice/phone
              parley activity list --as alice/phone --of bob --ids
              parley activity react --as alice/phone 3ce43269 👍
            """)

    @OptionGroup var reader: SenderOptions

    @Option(help: ArgumentHelp("The only one to list: the user, or a friend.", valueName: "UID"))
    var of: UserID?

    @Option(help: ArgumentHelp("How many to show, the newest.", valueName: "N")) var limit = 50
    @Flag(help: "The beginning of each id, which other commands take.") var ids = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (1...Limits.pageItems).contains(limit) else {
            throw ValidationError("--limit takes 1 to \(Limits.pageItems)")
        }
    }

    func run() async throws {
        Terminal.endQuietlyWithReader()
        let page = try await common.signedIn(as: reader) {
            try await $0.activity.list(of: of, page: Page(limit: limit))
        }
        if page.items.isEmpty, !common.output.isJSON { Terminal.report("there is nothing yet") }
        for item in page.items.reversed() {
            common.output.print(item, as: (ids ? "\(item.id.short) " : "") + item.line(in: .local))
        }
    }
}

struct PostActivityCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Says that the user has completed a plan or reached a goal.",
        discussion: "The id that is printed is what `parley activity react` takes.")

    @OptionGroup var sender: SenderOptions

    @Option(help: ArgumentHelp("plan_completed or goal_reached.", valueName: "TYPE"))
    var type = ActivityType.Posted.goalReached

    @Option(help: ArgumentHelp("At most \(Limits.descriptionCharacters) characters.", valueName: "TEXT"))
    var description: String?

    @Option(
        help: ArgumentHelp(
            "Of what is posted; the same id again posts nothing twice. Default: a new one.", valueName: "ID"))
    var id: ActivityID?

    @Argument(help: ArgumentHelp("What friends read, at most \(Limits.nameCharacters) characters.", valueName: "TITLE"))
    var title: String

    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> ActivityItem {
        try await client.activity.post(id: id ?? .random(), type, title: title, description: description)
    }
}

struct ReactToActivityCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "react", abstract: "Reacts to an item, in the place of an earlier reaction.")

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("The item, or the beginning of its id.", valueName: "ID")) var item: ActivityName
    @Argument(help: ArgumentHelp("One emoji.", valueName: "EMOJI")) var emoji: Emoji
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> ActivityItem {
        try await client.activity.react(emoji, to: item.find(by: client))
    }
}

struct UnreactToActivityCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "unreact", abstract: "Takes the user's reaction to an item back.")

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("The item, or the beginning of its id.", valueName: "ID")) var item: ActivityName
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> ActivityItem {
        try await client.activity.removeReaction(from: item.find(by: client))
    }
}

extension ClientCommand where Result == ActivityItem {
    func show(_ item: ActivityItem) {
        common.output.print(item, as: "\(item.id.short) \(item.line(in: .local))")
    }
}
