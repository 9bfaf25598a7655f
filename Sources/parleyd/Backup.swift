import ArgumentParser
import Foundation
import ParleyBridge
import Platform

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write the database to a file, also while the gateway runs.",
        discussion: """
            The file holds everything that was committed when it was begun, and nothing of it is readable by others. It is \
            checked before it gets its name, and its digest is in a file beside it. `parleyd restore` puts it back. Keys \
            and settings are files of their own: keep `keys/` and `parleyd.json`, too.

            With --into the file is named after its time, and older ones of such names are removed when the new one is \
            good: those that neither --keep nor --keep-days keeps.
            """)

    @OptionGroup var data: DirectoryOptions

    @Option(help: ArgumentHelp("A directory of backups, which is made if it is not there.", valueName: "dir"))
    var into: String?

    @Option(help: ArgumentHelp("Keep the newest so many backups of --into.", valueName: "count"))
    var keep: Int?

    @Option(help: ArgumentHelp("Keep the backups of --into that are no older.", valueName: "days"))
    var keepDays: Int?

    @Argument(help: ArgumentHelp("Where to; nothing may be there yet.", valueName: "file"))
    var file: String?

    func validate() throws {
        guard (file != nil) != (into != nil) else { throw ValidationError("name a file, or a directory by --into") }
        guard into != nil || keep == nil && keepDays == nil else {
            throw ValidationError("--keep and --keep-days belong to --into")
        }
        guard keep.map((1...100_000).contains) ?? true else { throw ValidationError("--keep takes 1 to 100000") }
        guard keepDays.map((1...100_000).contains) ?? true else {
            throw ValidationError("--keep-days takes 1 to 100000")
        }
    }

    func run() throws {
        // A file at its size limit is an error of one call, not the end of the process.
        signal(SIGXFSZ, SIG_IGN)
        let directory = data.directory
        if let file {
            let path = URL(fileURLWithPath: file).standardizedFileURL.path
            return show(try Restoration(directory).backUp(to: path))
        }
        let place = URL(fileURLWithPath: into ?? "").standardizedFileURL.path
        let outcome = try BackupDirectory(path: place).add(of: directory, keeping: keep, days: keepDays)
        show(outcome.backup)
        for name in outcome.removed { print("removed \(place)/\(name)") }
    }

    private func show(_ backup: Restoration.Backup) {
        print(
            "\(backup.file): \(backup.bytes) bytes, schema \(backup.schema), \(backup.conversations) conversations, "
                + "checked; BLAKE2b \(backup.digest)")
    }
}
