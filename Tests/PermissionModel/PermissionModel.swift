import ArgumentParser

@main
struct PermissionModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley-model",
        abstract: "Compare the permission engine with an oracle that looks back through histories.",
        discussion: """
            Ends with status 1 and the shortest story it can make after which the two disagree, or by which somebody \
            learns that he was blocked or declined; also if it misses a fault that it has planted in the engine.
            """)

    @Option(help: "How many events the complete models go through, in every order.")
    var depth = 6

    @Option(help: "How many random histories.")
    var histories = 1_000_000

    @Option(help: "How many events a random history has.")
    var length = 30

    @Option(help: "For the random histories; without it each run has its own.")
    var seed: UInt64?

    func validate() throws {
        guard depth >= 1, histories >= 1, length >= 1 else { throw ValidationError("the numbers are of 1 and more") }
    }

    func run() async throws {
        let seed = seed ?? UInt64.random(in: .min ... .max)
        let stages = Stages(depth: depth, histories: histories, length: length, seed: seed)
        do {
            try await stages.run()
        } catch let finding as any Finding {
            print("\(finding)\nThe seed was \(seed).")
            throw ExitCode.failure
        }
    }
}
