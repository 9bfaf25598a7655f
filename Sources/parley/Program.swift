import ArgumentParser
import Platform
import PrivateFiles

/// Runs the command that the arguments name, and turns its errors into an exit status.
@main
enum Program {
    static func main() async {
        Files.makeNewFilesPrivate()
        do {
            try Parley.checkCommandNames(CommandLine.arguments.dropFirst())
            var command = try Parley.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as ToolError {
            Terminal.report(failure.message)
            exit(failure.status.rawValue)
        } catch {
            let text = Parley.fullMessage(for: error)
            guard Parley.exitCode(for: error) != .success else {
                Terminal.printLines(text)
                exit(Status.accepted.rawValue)
            }
            if !text.isEmpty { Terminal.complain(text) }
            exit((error as? ExitCode)?.rawValue ?? Status.usage.rawValue)
        }
    }
}

/// An exit status of the tool.
enum Status: Int32 {
    /// Done.
    case accepted = 0
    /// The gateway refused.
    case rejected = 1
    /// The arguments are wrong; nothing was sent.
    case usage = 2
    /// There is no answer: the gateway cannot be reached, does not accept the credentials, or takes too long; or a file
    /// cannot be read or written.
    case noAnswer = 3
}

/// Ends the tool with a sentence on standard error.
struct ToolError: Error {
    let status: Status
    let message: String
    /// Whether the same command may succeed later, with nothing changed on this machine.
    let canBeRepeated: Bool

    init(_ status: Status, _ message: String, canBeRepeated: Bool = true) {
        self.status = status
        self.message = message
        self.canBeRepeated = canBeRepeated
    }
}
