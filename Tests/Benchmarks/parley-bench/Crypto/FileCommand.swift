import GatewaySite
import ArgumentParser
import Foundation
import ParleyClient
import ParleyCrypto

struct FileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file",
        abstract: "Measure sealing and opening a large attachment, from file to file.",
        discussion: """
            Makes a file of random bytes in a temporary directory, seals it into another and opens that into a third, \
            which must have the first one's bytes. It leaves nothing behind.
            """)

    @Option(help: ArgumentHelp("The attachment, in MB of 1,000,000 bytes.", valueName: "MB")) var size = 1000
    @Option(help: "How often each is measured.") var runs = 5
    @OptionGroup var machine: MachineOptions

    func validate() throws {
        guard (1...100_000).contains(size) else { throw ValidationError("--size is out of range") }
        guard runs > 0 else { throw ValidationError("nothing is measured by no runs") }
    }

    func run() throws {
        let directory = try FileManager.default.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: URL(filePath: machine.scratch),
            create: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let interruption = try Interruption()
        let bench = FileBench(directory: directory.path, bytes: size * 1_000_000, stop: interruption.stop)
        report("writing a file of \(size) MB")
        try bench.makeFile()
        report("sealing and opening it, \(runs) times")
        var table = Table(
            ["an attachment of \(size) MB", "MB/s", "CPU s", "resident MB", "more than before"], names: 1)
        table.rows = try bench.measure(runs: runs)
        machine.print(table)
    }
}
