import ArgumentParser
import ParleyBridge

#if POSTGRESQL_STORE
    import ParleyPostgreSQL
    import ParleyStore
#endif

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy the database of the data directory to a PostgreSQL server, while the gateway is stopped.",
        discussion: """
            DIR/parley.db stays as it is. The server's database must be empty, or hold what an interrupted export of \
            the same data directory has left: then this goes on from there. Every message keeps its number, and \
            devices notice nothing: start the gateway with the same --data, --store and --cell.
            """)

    @OptionGroup var data: DirectoryOptions

    @OptionGroup var store: StoreOptions

    func validate() throws { try store.demandServer() }

    func run() throws {
        #if POSTGRESQL_STORE
            let lock = try DirectoryLock(ofStopped: data.directory)
            defer { lock.release() }
            let (server, cell) = try store.server()
            let (target, progress) = (try server.openTarget(cell), ProgressLine())
            let rows = try DatabaseMove(data.directory, report: progress.print).export(to: target)
            try target.close()
            progress.end()
            print("copied and compared: \(rows) rows. \(data.directory.database) is no longer the gateway's database")
        #endif
    }
}
