import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ChallengeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenge", abstract: "Challenges somebody, answers a challenge, and lists them.",
        discussion: """
            A challenge is between two members of a conversation. It waits 48 hours for an answer. Then both are counted from \
            the day on which it was accepted, wherever each is, and at the end of the days who has more has won.

            Examples:
              parley challenge create --as alice/phone --to bob steps 50000 --days 7
              parley challenge list --as bob/phone
              parley challenge accept --as bob/phone 7f31a5d0-0000-4000-8000-000000000000
              parley open --as bob/phone parley://challenge/7f31a5d0-0000-4000-8000-000000000000
            """,
        subcommands: [
            CreateChallengeCommand.self, AcceptChallengeCommand.self, DeclineChallengeCommand.self,
            CancelChallengeCommand.self, ListChallengesCommand.self, ShareChallengeCommand.self,
        ])

    @OptionGroup var common: CommonOptions
}

struct CreateChallengeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Challenges another member of a conversation.",
        discussion: """
            TYPE is \(ChallengeType.names). With --card the conversation gets a card of the challenge, end-to-end encrypted \
            like every message, with its link.

            Examples:
              parley challenge create --as alice/phone --to bob steps 50000 --days 7 --card 'Who walks more?'
              parley challenge create --as alice/phone --to bob --conversation 7ff2d9c8-d0a4-8046-9527-01d1046656da streak 5 \
            --days 5
            """)

    @OptionGroup var sender: SenderOptions
    @Option(help: ArgumentHelp("Who is challenged.", valueName: "UID")) var to: UserID

    @Option(
        help: ArgumentHelp("The conversation of both; without it, the direct one.", valueName: "NAME"))
    var conversation: ConversationName?

    @Argument(help: ArgumentHelp("What is counted.", valueName: "TYPE")) var type: ChallengeType
    @Argument(help: ArgumentHelp("What both would reach.", valueName: "TARGET")) var target: Int
    @Option(help: ArgumentHelp("How many days are counted.", valueName: "N")) var days: Int

    @Option(help: ArgumentHelp("Also sends a card of it, with this title.", valueName: "TITLE"))
    var card: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard Limits.challengeTargets.contains(target) else {
            throw ValidationError("TARGET is 1 to \(Limits.challengeTargets.upperBound)")
        }
        guard Limits.challengeDays.contains(days) else {
            throw ValidationError("--days takes 1 to \(Limits.challengeDays.upperBound)")
        }
    }

    func ask(_ client: MessagingClient) async throws -> Challenge {
        let conversation =
            if let name = self.conversation {
                try await client.conversation(name.find(by: client))
            } else {
                try await client.conversation(with: to)
            }
        let challenge = try await client.challenges.create(
            type, target: target, days: days, to: to, in: conversation.id)
        if let card = card.flatMap({ challenge.card(title: $0) }) {
            _ = try await client.outcome(of: try await client.send(.challenge(card), to: conversation.id))
        }
        return challenge
    }

    func show(_ challenge: Challenge) { common.output.print(challenge, as: challenge.sentence) }
}

/// The challenge that a command answers, and the device that it acts as.
struct AnswerOptions: ParsableArguments {
    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("The challenge, or the beginning of its id.", valueName: "ID"))
    var challenge: ChallengeName
    @OptionGroup var common: CommonOptions

    /// Answers, and prints what the challenge is now.
    func answer(
        _ make: @Sendable (MessagingClient.Challenges, ChallengeID) async throws -> Challenge
    ) async throws {
        let answered = try await common.signedIn(as: sender) {
            try await make($0.challenges, challenge.find(by: $0))
        }
        common.output.print(answered, as: answered.sentence)
    }
}

struct AcceptChallengeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Accepts a challenge: both are counted from today on.")

    @OptionGroup var options: AnswerOptions

    func run() async throws { try await options.answer { try await $0.accept($1) } }
}

struct DeclineChallengeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "decline", abstract: "Declines a challenge.")

    @OptionGroup var options: AnswerOptions

    func run() async throws { try await options.answer { try await $0.decline($1) } }
}

struct CancelChallengeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Takes back a challenge that nobody has answered.")

    @OptionGroup var options: AnswerOptions

    func run() async throws { try await options.answer { try await $0.cancel($1) } }
}

struct ListChallengesCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists one's challenges, or all of a conversation, the newest first.")

    @OptionGroup var sender: SenderOptions

    @Option(help: ArgumentHelp("Only those of this conversation.", valueName: "NAME"))
    var conversation: ConversationName?

    @Option(help: ArgumentHelp("How many at most.", valueName: "N")) var limit: Int = 50
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit takes 1 or more") }
    }

    func ask(_ client: MessagingClient) async throws -> [Challenge] {
        var challenges: [Challenge] = []
        var cursor: String?
        let conversation: ConversationID? =
            if let name = self.conversation { try await name.find(by: client) } else { nil }
        repeat {
            let page = Page(limit: min(limit - challenges.count, Limits.pageItems), cursor: cursor)
            let list = try await client.challenges.list(in: conversation, page: page)
            challenges += list.items
            // A page that is not the last has an item.
            cursor = list.items.isEmpty ? nil : list.nextCursor
        } while cursor != nil && challenges.count < limit
        return challenges
    }

    func show(_ challenges: [Challenge]) {
        let headings = ["CHALLENGE", "BETWEEN", "AIM", "STATUS", "SO FAR", "ENDS"]
        common.output.print(challenges, headings: headings) { challenge in
            [
                challenge.id.description, "\(challenge.challenger), \(challenge.challenged)", challenge.aim,
                challenge.standing, challenge.score, challenge.endsAt.map { TimeZone.local.civil($0).stamp } ?? "",
            ]
        }
    }
}
