import ArgumentParser
import ParleyClient
import ParleyProtocol

struct RetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention", abstract: "Sets for how long the gateway keeps the messages of a conversation.",
        discussion: """
            What is older loses its content at the gateway, as a disappearing message does, and its files go; devices keep \
            what they have received. Without one of its own a conversation has the setting retention_days. `parley user \
            show` lists the ids of a user's groups.

            Examples:
              parley retention set alice,bob 90
              parley retention set 7f31a5d0-0000-4000-8000-000000000000 default
            """,
        subcommands: [SetRetentionCommand.self, ShowRetentionCommand.self])

    @OptionGroup var common: CommonOptions
}

struct SetRetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Sets for how long the messages of a conversation are kept.")

    @Argument(help: ArgumentHelp("The conversation's id, or the two of a direct one.", valueName: "ID|UID,UID"))
    var conversation: ConversationArgument

    @Argument(
        help: ArgumentHelp(
            "1 to 36500 days, forever, or default: as the gateway's settings say.", valueName: "DAYS"))
    var time: RetentionTime

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let retention = try await common.gateway.ask(SetRetention(conversation: conversation.id, days: time.days))
        common.output.print(retention, as: retention.sentence(of: conversation))
    }
}

struct ShowRetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows for how long the messages of a conversation are kept.")

    @Argument(help: ArgumentHelp("The conversation's id, or the two of a direct one.", valueName: "ID|UID,UID"))
    var conversation: ConversationArgument
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let retention = try await common.gateway.ask(GetRetention(conversation: conversation.id))
        common.output.print(retention, as: retention.sentence(of: conversation))
    }
}

/// A conversation in an operator's command: its id, or the two users of a direct one, such as `alice,bob`.
struct ConversationArgument: ExpressibleByArgument {
    let id: ConversationID
    /// For people.
    let name: String

    init?(argument: String) {
        if let id = ConversationID(argument: argument) {
            (self.id, name) = (id, "conversation \(id.short)")
            return
        }
        let users = argument.split(separator: ",", omittingEmptySubsequences: false).map { UserID(String($0)) }
        guard users.count == 2, let one = users[0], let other = users[1], one != other,
            let id = ConversationID.direct(one, other)
        else { return nil }
        (self.id, name) = (id, "\(one) and \(other)")
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
    fileprivate func sentence(of conversation: ConversationArgument) -> String {
        let time = days == 0 ? "for ever" : days == 1 ? "for a day" : "for \(days) days"
        let reason = isOwn ? "" : ", as the gateway's settings say"
        return "\(conversation.name): messages are kept \(time)\(reason)"
    }
}
