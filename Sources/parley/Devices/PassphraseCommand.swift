import ArgumentParser
import Platform
import ParleyClient
import ParleyProtocol

struct PassphraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passphrase", abstract: "Protects a device's keys by a passphrase, changes it, or takes it away.",
        discussion: """
            Asks at the terminal, without showing what is typed: for the passphrase that the keys have, if they have one, \
            and twice for the new one. Where standard input is no terminal each is a line of it, once. The passphrase that \
            they have may also come from --passphrase-file.

            From then on every command that opens the keys asks for it, or takes it from --passphrase-file. Programs of the \
            device that run are to be started again. Nobody can open the keys without it, and there is no way back to a \
            passphrase that was forgotten: such a device is set up anew.

            Examples:
              parley passphrase --as alice/phone
              parley passphrase --as alice/phone --remove
            """)

    @OptionGroup var sender: SenderOptions
    @Flag(help: "Takes the passphrase away.") var remove = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        let directory = DeviceDirectory(of: try sender.device(gateway), in: gateway.path)
        // Without them there would be keys of a device that cannot sign in.
        try gateway.requireCredentials(directory)
        let isProtected = try gateway.needsPassphrase(directory)
        guard isProtected || !remove else {
            return Terminal.report("no passphrase protects the keys of \(directory.device)")
        }
        let given = isProtected ? try gateway.readPassphraseFile() : nil
        if isatty(STDIN_FILENO) == 1 {
            let isDone: Bool? = try ControllingTerminal.open { (terminal) throws(ToolError) in
                var current = given
                if isProtected, current == nil { current = try typedCurrent(terminal, directory.device) }
                try change(directory, from: current) { () throws(ToolError) in
                    try typedTwice(terminal, directory.device)
                }
                return true
            }
            guard isDone != nil else { throw ToolError(.noAnswer, "there is no terminal to ask for the passphrase") }
        } else {
            var lines = StandardInput.lines().makeAsyncIterator()
            var current = given
            if isProtected, current == nil { current = try Passphrase(typed: await lines.next() ?? "") }
            let new = remove ? nil : try Passphrase(typed: await lines.next() ?? "")
            try change(directory, from: current) { new }
        }
        common.output.print(
            done: remove
                ? "no passphrase protects the keys of \(directory.device) any more"
                : "a passphrase protects the keys of \(directory.device)")
    }

    /// Writes the keys anew. A wrong passphrase is reported before the new one is asked for.
    private func change(
        _ directory: DeviceDirectory, from current: Passphrase?, to new: () throws(ToolError) -> Passphrase?
    ) throws(ToolError) {
        let store = FileKeyStore(in: directory, protectedBy: current.map { .passphrase($0) } ?? .ownership)
        do throws(KeyStoreError) {
            if current != nil { _ = try store.keys() }
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
        let protection: KeyProtection = remove ? .ownership : try new().map { .passphrase($0) } ?? .ownership
        do throws(KeyStoreError) {
            _ = try store.changeProtection(to: protection)
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }

    private func typedCurrent(
        _ terminal: ControllingTerminal, _ device: DeviceAddress
    ) throws(ToolError) -> Passphrase {
        try Passphrase(typed: terminal.ask("the passphrase that the keys of \(device) have"))
    }

    private func typedTwice(
        _ terminal: ControllingTerminal, _ device: DeviceAddress
    ) throws(ToolError) -> Passphrase {
        let text = try terminal.ask("a new passphrase for the keys of \(device)")
        let passphrase = try Passphrase(typed: text)
        guard try terminal.ask("the same once more") == text else {
            throw ToolError(.usage, "the two are not the same; nothing was changed")
        }
        return passphrase
    }
}
