import ArgumentParser
import ParleyBridge

@main
struct ParleyBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley-bench",
        abstract:
            "Measure Parley's gateway and its ciphers. What is measured, and what bounds it: docs/performance.md.",
        version: parleyVersion,
        subcommands: [
            CompareCommand.self, StoreSizeCommand.self, ListsCommand.self, SyncCommand.self, JSONCommand.self,
            WorkoutsCommand.self, WebCommand.self, WebKillsCommand.self, SignInsCommand.self, CryptoCommand.self,
            FileCommand.self, BlobsCommand.self, BackupCommand.self, RestoreCommand.self, RelayCommand.self,
        ] + cells,
        defaultSubcommand: CompareCommand.self)

    /// What needs PostgreSQL.
    private static var cells: [any ParsableCommand.Type] {
        #if POSTGRESQL_STORE
            [CellsCommand.self, WritersCommand.self]
        #else
            []
        #endif
    }
}
