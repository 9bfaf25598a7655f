import ArgumentParser
import ParleyClient
import ParleyProtocol

struct EraseUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Deletes a user's account and the content of all they have sent, for good.",
        discussion: """
            What `parley user remove` does; and of what they have sent to others only the places in the conversations are \
            left, without content, as of messages that have disappeared. Their files go, the reports that they made, and the \
            copies of messages in reports about them. It goes on in the background, also after a restart. What others' \
            devices have received, and backups of the database, are not the gateway's to erase. A user who was removed can \
            be erased later. It asks for the id at a terminal; in a script --yes answers.
            """)

    @Argument(help: ArgumentHelp("The user's id.", valueName: "UID")) var user: UserID
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        try await Confirmation.require(
            of: user, yes, "deletes the account of \(user) and the content of all that they have sent, for good")
        let change = try await gateway.ask(EraseUser(user: user))
        common.output.print(
            change,
            as: change.isChanged
                ? "removed \(user); what they have sent is being erased" : "\(user) was erased already")
        gateway.reportFiles(of: user)
    }
}
