import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Says whether one user may write to another, and what decides it.",
        discussion: """
            Prints the decision, and under it each question in the order in which the gateway asks them; the first that \
            holds has decided and is marked with an arrow. Where none holds, one message may be sent, as a message \
            request. The gateway decides messages, typing, receipts, reactions and invitations in this one way. Exit \
            status 0 whatever is decided.

            Example:
              parley explain alice bob
            """)

    @Argument(help: ArgumentHelp("Who would write.", valueName: "FROM"))
    var sender: UserID

    @Argument(help: ArgumentHelp("To whom.", valueName: "TO"))
    var recipient: UserID

    @Flag(help: "One JSON object: from, to, permission, reason, steps.")
    var json = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let data = try await common.gateway.administer(ExplainPermission.self) { object in
            object.member("from", sender)
            object.member("to", recipient)
        }
        guard let explanation = PermissionExplanation(reply: data) else {
            throw ToolError(.noAnswer, NoReplyError.malformedReply.description)
        }
        if json {
            Terminal.printJSON(explanation.jsonLine(from: sender, to: recipient))
        } else {
            explanation.lines(from: sender, to: recipient).forEach(Terminal.print)
        }
    }
}
