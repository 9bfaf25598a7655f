import ArgumentParser

@main
struct PermissionModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley-model",
        abstract:
            "Compare the permission engine, the broker's plugin and the boards with oracles of the contract's words.",
        discussion: """
            Ends with status 1 and the shortest story it can make after which the two disagree, or by which somebody \
            learns that they were blocked or declined, or the question that the plugin answers otherwise than \
            the contract, or the board that stands otherwise; also if it misses a fault that it has planted.
            """)

    @Option(help: "How many events the complete models go through, in every order.")
    var depth = 6

    @Option(help: "How many random histories.")
    var histories = 1_000_000

    @Option(help: "How many events a random history has.")
    var length = 30

    @Option(help: "How many random questions of who may publish, subscribe to and receive what.")
    var questions = 1_000_000

    @Option(help: "How many random histories of a group's boards.")
    var boards = 100_000

    @Flag(help: "Ask the questions of rights alone.")
    var rightsOnly = false

    @Flag(help: "Compare boards alone.")
    var boardsOnly = false

    @Option(help: "For the random histories; without it each run has its own.")
    var seed: UInt64?

    func validate() throws {
        guard depth >= 1, histories >= 1, length >= 1, questions >= 1, boards >= 1 else {
            throw ValidationError("the numbers are of 1 and more")
        }
    }

    func run() async throws {
        let seed = seed ?? UInt64.random(in: .min ... .max)
        let stages = Stages(
            depth: depth, histories: histories, length: length, questions: questions, boards: boards, seed: seed)
        do {
            if rightsOnly || boardsOnly {
                if rightsOnly { try await stages.runRights() }
                if boardsOnly { try await stages.runBoards() }
            } else {
                try await stages.run()
            }
        } catch let finding as any Finding {
            print("\(finding)\nThe seed was \(seed).")
            throw ExitCode.failure
        }
    }
}
