import ArgumentParser
import ParleyClient
import ParleyProtocol

struct RetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention", abstract: "Sets for how long the gateway keeps the messages of a conversation.",
        discussion: """
            What is older loses its content at the gateway, as a disappearing message does, and its files go; devices keep \
            what they have received. Without one of its own a conversation has the setting retention_days.

            Examples:
              parley retention set 7f31a5d0-0000-4000-8000-000000000000 90
              parley retention set 7f31a5d0-0000-4000-8000-000000000000 default
            """,
        subcommands: [SetRetentionCommand.self, ShowRetentionCommand.self])

    @OptionGroup var common: CommonOptions
}

struct SetRetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Sets for how long the messages of a conversation are kept.")

    @Argument(help: ArgumentHelp("The conversation's id.", valueName: "CONVERSATION")) var conversation: ConversationID

    @Argument(
        help: ArgumentHelp(
            "1 to 36500 days, forever, or default: as the gateway's settings say.", valueName: "DAYS"))
    var time: RetentionTime

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let retention = try await common.gateway.ask(SetRetention(conversation: conversation, days: time.days))
        Terminal.print(retention.sentence)
    }
}

struct ShowRetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows for how long the messages of a conversation are kept.")

    @Argument(help: ArgumentHelp("The conversation's id.", valueName: "CONVERSATION")) var conversation: ConversationID
    @OptionGroup var common: CommonOptions

    func run() async throws {
        Terminal.print(try await common.gateway.ask(GetRetention(conversation: conversation)).sentence)
    }
}

/// How long messages are kept, as an operator says it.
struct RetentionTime: ExpressibleByArgument {
    /// 0 for ever; `nil` as the gateway's settings say.
    let days: Int?

    init?(argument: String) {
        switch argument {
        case "forever": days = 0
        case "default": days = nil
        default:
            guard let number = Int(argument), (1...Retention.range.upperBound).contains(number) else { return nil }
            days = number
        }
    }
}

extension Retention {
    fileprivate var sentence: String {
        let time = days == 0 ? "for ever" : days == 1 ? "for a day" : "for \(days) days"
        let reason = isOwn ? "" : ", as the gateway's settings say"
        return "conversation \(conversation.short): messages are kept \(time)\(reason)"
    }
}
