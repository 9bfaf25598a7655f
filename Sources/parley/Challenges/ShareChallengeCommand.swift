import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ShareChallengeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Sends the card of a challenge to its conversation.",
        discussion: """
            Exit status as of `parley send`. Who gets the card opens the challenge by its link: parley://challenge/ID

            Example:
              parley challenge share --as alice/phone 7f31a5d0-0000-4000-8000-000000000000 'Who walks more?'
            """)

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("The challenge, or the beginning of its id.", valueName: "ID"))
    var challenge: ChallengeName
    @Argument(help: ArgumentHelp("What the card says.", valueName: "TITLE")) var title: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (name, title) = (challenge, title)
        try await common.deliver(as: sender) { client in
            let challenge = try await client.challenges.get(name.find(by: client))
            guard let card = challenge.card(title: title) else { throw ClientError.malformedReply }
            return (
                try await client.send(.challenge(card), to: challenge.conversation), challenge.conversation
            )
        }
    }
}
