import ArgumentParser
import ParleyClient
import ParleyCrypto
import ParleyProtocol

struct AccountKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Backs up, recovers or replaces a user's account key.",
        discussion: """
            The account key says what devices are a user's; contacts know the user by it. It lies on the user's devices \
            alone. Whoever loses all of them has it back by the recovery key, or has to make a new one, which contacts \
            see as a changed key.
            """,
        subcommands: [BackUpAccountCommand.self, RecoverAccountCommand.self, ResetAccountCommand.self])

    @OptionGroup var common: CommonOptions
}

struct BackUpAccountCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Has the gateway keep the account key, sealed, and prints the recovery key.",
        discussion: """
            The recovery key is printed once and kept nowhere: write it down. It takes the place of the one before.
            """)

    @OptionGroup var sender: SenderOptions
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> RecoveryKey { try await client.account.backUp() }

    func show(_ key: RecoveryKey) {
        common.output.print(value: key.groups.joined(separator: " "), named: "recovery_key")
        Terminal.report("write this recovery key down: it is shown once, and opens the account without any device")
    }
}

struct RecoverAccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Takes the account key from its backup, on a device that has none.",
        discussion: "The recovery key is read from standard input, so that it stands in no list of processes.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        // A passphrase is asked for before standard input is read, which may be the same terminal.
        let device = try sender.device(common.gateway)
        let keys = try common.gateway.keyStore(of: device)
        Terminal.report("the recovery key:")
        var lines = StandardInput.lines().makeAsyncIterator()
        guard let line = try await lines.next() else { throw ToolError(.usage, "standard input is empty") }
        let key: RecoveryKey
        do throws(RecoveryKeyError) { key = try RecoveryKey(line) } catch { throw ToolError(.usage, error.description) }
        try await common.signedIn(as: sender, keys: keys) { try await $0.account.recover(with: key) }
        common.output.print(done: "recovered the account of \(device.user) on \(device)")
    }
}

struct ResetAccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Makes a new account key in place of one that is lost.",
        discussion: """
            All other devices of the user are to be linked anew, and nobody sends anything to the user before having \
            accepted the new key. Of a backup made before nothing is left to recover.
            """)

    @OptionGroup var sender: SenderOptions
    @Flag(help: "Reset without asking.") var yes = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let device = try sender.device(common.gateway)
        let keys = try common.gateway.keyStore(of: device)
        if !yes {
            let question = "everybody who writes to \(device.user) will see a changed key. Type yes to go on:"
            guard try await StandardInput.agrees(to: question) else {
                throw ToolError(.rejected, "nothing was changed")
            }
        }
        try await common.signedIn(as: sender, keys: keys) { try await $0.account.reset() }
        common.output.print(
            done: "\(device.user) has a new account key; \(device) is certified by it")
    }
}
