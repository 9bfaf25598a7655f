import ArgumentParser
import ParleyProtocol

struct Parley: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley",
        abstract: "Speaks to a running Parley gateway, as its operator or as one of its devices.",
        discussion: """
            Results go to standard output, everything else to standard error: sentences and tables on a terminal, or \
            with --text; JSON, an object a line, where a program reads, or with --json. A value by itself, such as a \
            link, a code or a path, and that something is done are printed as they are in a pipe, too. A \
            conversation, group, challenge or message is named by its name or id, or by the beginning of either as \
            long as that is one alone.

            Without a command it is `parley chat`, on a terminal and where one device is kept.

            Exit status: 0 done or accepted; 1 the gateway refused; 2 wrong arguments; 3 no answer: the gateway \
            cannot be reached, does not accept the credentials, or takes too long, or a file cannot be used.

            The data directory DIR is the gateway's own, or one of a person's who signs in by a web door. Users and \
            devices are managed with the credentials of the operator's device, which the gateway keeps in \
            DIR/devices/operator/console/. What belongs to another device is kept in DIR/devices/UID/DID/, readable \
            by its owner alone. Where a passphrase protects a device's keys it is asked for at the terminal, or read \
            from the file of --passphrase-file.
            """,
        version: parleyVersion,
        groupedSubcommands: [
            CommandGroup(
                name: "Everyday",
                subcommands: [
                    RegisterCommand.self, LoginCommand.self, LogoutCommand.self, WhoAmICommand.self, UseCommand.self,
                    ChatCommand.self, SendCommand.self, ListenCommand.self, GetFileCommand.self,
                    EditCommand.self, DeleteCommand.self, ReactCommand.self,
                    ConversationsCommand.self, HistoryCommand.self, SearchCommand.self, FollowCommand.self,
                    UnfollowCommand.self, BlockCommand.self, UnblockCommand.self, RequestsCommand.self,
                    ProfileCommand.self, MetricsCommand.self,
                    GroupCommand.self, WorkoutCommand.self, BoardCommand.self, ChallengeCommand.self,
                    PlanCommand.self,
                    ActivityCommand.self, NotificationsCommand.self, PushCommand.self, OpenCommand.self,
                    SafetyNumberCommand.self, VerifyCommand.self, AcceptKeyCommand.self, LinkCommand.self,
                    OwnDevicesCommand.self, AccountKeyCommand.self, RotateKeysCommand.self, PassphraseCommand.self,
                    RequestCommand.self,
                ]),
            CommandGroup(
                name: "Operator",
                subcommands: [
                    UserCommand.self, DeviceCommand.self, RetentionCommand.self, CodeCommand.self, TailCommand.self,
                    TraceCommand.self, ExplainCommand.self, ReportsCommand.self, StatusCommand.self, DoctorCommand.self,
                    CheckConfigCommand.self,
                ]),
        ])

    @OptionGroup var common: CommonOptions

    /// Without a command it is the chat, where a person can have one; else the help.
    func run() async throws {
        guard let device = ChatCommand.obviousDevice(common.gateway) else {
            throw CleanExit.helpRequest(self)
        }
        try await ChatCommand.parse(["--as", device.description] + common.arguments).run()
    }
}

/// The options of every command, before or after its name.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .customLong("data"),
        help: ArgumentHelp(
            "The gateway's data directory, or one's own. Default: the environment's PARLEY_DATA, or else ./data where there "
                + "is one, or else parley in XDG_DATA_HOME or ~/.local/share.",
            valueName: "DIR"))
    var data: String?

    @Option(help: ArgumentHelp("How long to wait for an answer.", valueName: "SECONDS")) var timeout: Int = 15

    @Option(
        name: .customLong("passphrase-file"),
        help: ArgumentHelp(
            "A file with the passphrase of the device's keys on its first line. Default: the environment's "
                + "PARLEY_PASSPHRASE_FILE, or else the terminal is asked.",
            valueName: "FILE"))
    var passphraseFile: String?

    @OptionGroup var output: OutputOptions

    /// As they are written.
    var arguments: [String] {
        let options = [
            ("--data", data), ("--timeout", String(timeout)), ("--passphrase-file", passphraseFile),
        ]
        return options.flatMap { name, value in value.map { [name, $0] } ?? [] } + output.arguments
    }

    func validate() throws {
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout takes 1 to 3600 seconds") }
    }

    /// The gateway of the data directory that the option or the environment names.
    var gateway: LocalGateway {
        LocalGateway(
            path: data ?? DataDirectoryOfPerson.path { Environment[$0] },
            timeout: .seconds(timeout),
            passphraseFile: passphraseFile ?? Environment["PARLEY_PASSPHRASE_FILE"])
    }
}
