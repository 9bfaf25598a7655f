import ArgumentParser
import ParleyBridge

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check configuration, files, disk, clock, database, broker and doors, a line each.",
        discussion: """
            Nothing is changed, whether the gateway runs or not. Run it as the owner of the data directory, or as root. Exit \
            status: 0 nothing is wrong; 1 something is.
            """)

    @OptionGroup var data: DirectoryOptions

    @Flag(help: "Check the database row by row with its indexes, and the newest backup's digest, which takes long.")
    var thorough = false

    @Flag(help: "One JSON object.") var json = false

    @Flag(help: "Look for no database file: it is on a server (--store of parleyd run).")
    var withoutDatabase = false

    func run() throws {
        let results = Checkup(data.directory, isThorough: thorough, isFile: !withoutDatabase).run()
        print(json ? results.json : results.map(\.line).joined(separator: "\n"))
        guard results.isWell else { throw ExitCode(1) }
    }
}
