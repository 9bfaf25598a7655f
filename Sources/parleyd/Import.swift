import ArgumentParser
import ParleyBridge

#if POSTGRESQL_STORE
    import ParleyPostgreSQL
    import ParleyStore
#endif

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Copy a database from a PostgreSQL server into the data directory, while all its cells are stopped.",
        discussion: """
            The server's database stays as it is. DIR/parley.db must not exist; what an interrupted import has left \
            there has another name, and this goes on from it. Every message keeps its number, and devices notice \
            nothing. --data is the directory of the cell that --cell names: its keys go on, and its pushes. Of several \
            cells each must have published everything.
            """)

    @OptionGroup var data: DirectoryOptions

    @OptionGroup var store: StoreOptions

    func validate() throws { try store.demandServer() }

    func run() throws {
        #if POSTGRESQL_STORE
            let lock = try DirectoryLock(ofStopped: data.directory)
            defer { lock.release() }
            let (server, cell) = try store.server()
            let (source, progress) = (try server.openSource(cell), ProgressLine())
            let rows = try DatabaseMove(data.directory, report: progress.print).importDatabase(from: source)
            try source.close()
            progress.end()
            print("copied and compared: \(rows) rows, in \(data.directory.database)")
        #endif
    }
}
