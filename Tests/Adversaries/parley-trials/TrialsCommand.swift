import ArgumentParser

@main
struct TrialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley-trials", abstract: "Try what must never happen, at random moments and under load.",
        subcommands: subcommands, defaultSubcommand: CutsCommand.self)

    private static var subcommands: [any ParsableCommand.Type] {
        #if POSTGRESQL_STORE
            [CutsCommand.self, CellsCommand.self]
        #else
            [CutsCommand.self]
        #endif
    }
}
