import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says whether one user may write to another, or why somebody was notified, and what decides it.",
        discussion: """
            In JSON: from, to, permission, reason, steps; with --push the gateway's own object. Prints the decision, \
            and under it each question in the order in which the gateway asks them; the first that holds has decided \
            and is marked with an arrow. Where none holds, one message may be sent, as a message request. The \
            gateway decides messages, typing, receipts, reactions and invitations in this one way. Exit status 0 \
            whatever is decided.

            With --push it says of a message and a user what was decided about notifying them, what became of it, \
            and what would be decided now.

            Examples:
              parley explain alice bob
              parley explain --push 3ce43269-f4bd-460c-846f-5bb75c094c2f bob
            """)

    @Argument(help: ArgumentHelp("Who would write; with --push the message.", valueName: "FROM"))
    var subject: String

    @Argument(help: ArgumentHelp("To whom.", valueName: "TO")) var recipient: UserID
    @Flag(help: "Explains why TO was or was not notified of the message FROM.") var push = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if push {
            guard MessageID(argument: subject) != nil else {
                throw ValidationError("FROM is the id of a message with --push")
            }
        } else {
            guard UserID(subject) != nil else { throw ValidationError("FROM is no user id") }
        }
    }

    func run() async throws {
        if push, let message = MessageID(argument: subject) { return try await explainPush(of: message) }
        guard let sender = UserID(subject) else { throw ToolError(.usage, "FROM is no user id") }
        let data = try await common.gateway.data(of: ExplainPermission(from: sender, to: recipient))
        guard let explanation = PermissionExplanation(reply: data) else {
            throw ToolError(.noAnswer, NoReplyError.malformedReply.description)
        }
        common.output.print(
            json: explanation.json(from: sender, to: recipient), as: explanation.lines(from: sender, to: recipient))
    }

    private func explainPush(of message: MessageID) async throws {
        let explanation = try await common.gateway.ask(ExplainPush(message: message, user: recipient))
        common.output.print(json: explanation.json, as: explanation.lines(in: .local))
    }
}
