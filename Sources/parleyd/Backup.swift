import ArgumentParser
import Foundation
import ParleyBridge

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write the database to a file, also while the gateway runs.",
        discussion: """
            The file holds everything that was committed when it was begun, and nothing of it is readable by others. \
            `parleyd restore` puts it back. Keys and settings are files of their own: keep `keys/` and `parleyd.json`, too.
            """)

    @OptionGroup var data: DirectoryOptions

    @Argument(help: ArgumentHelp("Where to; nothing may be there yet.", valueName: "file"))
    var file: String

    func run() throws {
        let path = URL(fileURLWithPath: file).standardizedFileURL.path
        let bytes = try Restoration(data.directory).backUp(to: path)
        print("\(path): \(bytes) bytes")
    }
}
