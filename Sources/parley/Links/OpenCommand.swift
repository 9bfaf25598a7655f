import ArgumentParser
import ParleyClient
import ParleyProtocol

struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Shows what a parley:// link leads to.",
        discussion: """
            Of an invite to a group: its name, how many are in it and who invites. Of a challenge: who has challenged whom, \
            what is counted and how it stands. Of a plan, which is the app's own: its card, as somebody has sent it in one of \
            the user's conversations. What can be done is said on standard error; nothing is accepted by looking.

            Examples:
              parley open --as bob/phone parley://group/invite/4nWAMnDRxFkuUEVJtqmRvw
              parley open --as bob/phone parley://challenge/7f31a5d0-0000-4000-8000-000000000000
              parley open --as bob/phone --json parley://plan/diet/low-carb-14
            """)

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("The link.", valueName: "LINK")) var link: String
    @OptionGroup var common: CommonOptions

    func validate() throws { _ = try destination() }

    func run() async throws {
        let destination = try destination()
        let follows: ClientConfiguration.Following = destination.needsConversations ? .all : .only([])
        let opened = try await common.signedIn(as: sender, follows: follows) { try await $0.open(destination) }
        opened.instructions.forEach(Terminal.report)
        common.output.print(json: opened.json, as: opened.lines)
    }

    private func destination() throws -> AppLink {
        guard let destination = AppLink(link) else { throw ValidationError("LINK leads nowhere") }
        return destination
    }
}
