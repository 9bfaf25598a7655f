import ArgumentParser
import ParleyClient
import ParleyProtocol

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Shares a plan of an app's with somebody.",
        subcommands: [SharePlanCommand.self])

    @OptionGroup var common: CommonOptions
}

struct SharePlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Sends the card of a plan, end-to-end encrypted, and prints the reply.",
        discussion: """
            What is in a plan is the app's; its card says which one it is, and enough to show it. KIND is \(Kind.names). Exit \
            status as of `parley send`. Who gets the card opens it by its link: parley://plan/KIND/PLAN

            Examples:
              parley plan share --as alice/phone --to bob diet low-carb-14 --title 'Low carb' --calories 1800 --days 14
              parley plan share --as alice/phone --to bob workout 5k --title 'To 5 km' --minutes 30 --days 56
            """)

    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case diet, workout
    }

    @OptionGroup var sender: SenderOptions
    @OptionGroup var recipient: RecipientOptions
    @Argument(help: ArgumentHelp("What it is for.", valueName: "KIND")) var kind: Kind
    @Argument(help: ArgumentHelp("The app's own id of the plan.", valueName: "PLAN")) var plan: String
    @Option(help: ArgumentHelp("What it is called.", valueName: "TEXT")) var title: String
    @Option(help: ArgumentHelp("A day's, of a diet plan.", valueName: "KCAL")) var calories: Int?
    @Option(help: ArgumentHelp("A day's, of a workout plan.", valueName: "N")) var minutes: Int?
    @Option(help: ArgumentHelp("How many days it is for.", valueName: "N")) var days: Int?
    @Option(help: ArgumentHelp("A sentence for people.", valueName: "TEXT")) var summary: String?
    @OptionGroup var common: CommonOptions

    func validate() throws {
        switch kind {
        case .diet: if minutes != nil { throw ValidationError("a diet plan has no --minutes") }
        case .workout: if calories != nil { throw ValidationError("a workout plan has no --calories") }
        }
        guard content.link.flatMap({ AppLink($0.description) }) != nil else {
            throw ValidationError("PLAN is 1 to 255 characters")
        }
    }

    func run() async throws {
        try await common.deliver(as: sender) { client in
            let conversation = try await recipient.conversation(by: client).id
            return (try await client.send(content, to: conversation), conversation)
        }
    }

    private var content: MessageContent {
        switch kind {
        case .diet:
            .dietPlan(DietPlanCard(planID: plan, planTitle: title, calories: calories, days: days, summary: summary))
        case .workout:
            .workoutPlan(
                WorkoutPlanCard(planID: plan, planTitle: title, days: days, minutes: minutes, summary: summary))
        }
    }
}
