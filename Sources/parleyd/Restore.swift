import ArgumentParser
import Foundation
import ParleyBridge

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup in place of the database, while the gateway is stopped.",
        discussion: """
            Every conversation goes on from where the backup ends, under a new epoch; devices get it when they \
            catch up, and keep what they have. The database that is there is kept beside the new one. If this is \
            interrupted, run it again, or start the gateway: what was decided is finished, and what was not has not \
            happened.
            """)

    @OptionGroup var data: DirectoryOptions

    @Flag(
        help: """
            The database that is there was put back already, together with everything beside it, as by a snapshot of \
            the file system: only begin the new epochs.
            """)
    var inPlace = false

    @Argument(
        help: ArgumentHelp("What `parleyd backup` has written, or a copy of parley.db.", valueName: "file"))
    var file: String?

    func validate() throws {
        guard (file != nil) != inPlace else { throw ValidationError("name a file, or give --in-place") }
    }

    func run() throws {
        let directory = data.directory
        let lock = try DirectoryLock(ofStopped: directory)
        defer { lock.release() }
        let restoration = Restoration(directory)
        let outcome =
            if let file {
                try restoration.restore(from: URL(fileURLWithPath: file).standardizedFileURL.path)
            } else {
                try restoration.beginAnew()
            }
        print("\(directory.database): conversations with a new epoch: \(outcome.conversations)")
        if let kept = outcome.kept { print("the database that was there is \(kept)") }
        print(
            "Devices that have renewed their token since need a new one: parley device renew-token UID DID; those that "
                + "were added since are added again: parley device add UID DID")
    }
}
