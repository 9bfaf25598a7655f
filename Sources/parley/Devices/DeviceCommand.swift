import ArgumentParser
import ParleyClient
import ParleyProtocol

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Adds, lists and revokes devices of users.",
        subcommands: [
            AddDeviceCommand.self, ListDevicesCommand.self, RenewDeviceCommand.self, ExportDeviceCommand.self,
            RevokeDeviceCommand.self,
        ])

    @OptionGroup var common: CommonOptions
}

/// The two ids that name a device.
struct DeviceArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The user's id.", valueName: "UID")) var user: UserID

    @Argument(help: ArgumentHelp("The device's id: 1 to 64 letters, digits, _ or -.", valueName: "DID"))
    var device: DeviceID

    var address: DeviceAddress { DeviceAddress(user: user, device: device) }
}

/// How long a token lives.
struct LifetimeOption: ParsableArguments {
    @Option(
        name: .customLong("ttl"),
        help: ArgumentHelp("How long the token lives; without, as the gateway's settings say.", valueName: "DAYS"))
    var days: Int?

    func validate() throws {
        if let days, !(1...3650).contains(days) { throw ValidationError("--ttl takes 1 to 3650 days") }
    }
}

struct AddDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds a device to a user, and keeps its credentials.",
        discussion: """
            Prints where the credentials are, in JSON as username, client_id, expires_at and credentials_file: \
            DIR/devices/UID/DID/credentials.json, readable by its owner alone, where `parley request --as UID/DID` \
            finds what an MQTT client signs in with. Beside it is the same for mosquitto_sub, mosquitto_pub and \
            mosquitto_rr, which take it with XDG_CONFIG_HOME=DIR/devices/UID/DID. The token is printed only with \
            --print-token, as password.

            A device that is there already is an error: `parley device renew-token` makes its token anew, and \
            `parley device export` one file for another machine.
            """)

    @OptionGroup var name: DeviceArguments
    @OptionGroup var lifetime: LifetimeOption

    @Option(
        name: .customLong("name"), help: ArgumentHelp("What its user calls the device.", valueName: "NAME"))
    var displayName: String?

    @OptionGroup var token: TokenOption
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let credentials = try await common.gateway.ask(
            AddDevice(address: name.address, lifetimeDays: lifetime.days, name: displayName, isNew: true))
        try token.save(credentials, of: name.address, saying: "added", by: common)
    }
}

struct RenewDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew-token", abstract: "Makes a device's token anew: the one before ends, and its sessions.",
        discussion: """
            For a token that was lost or has ended; while a device has one that signs in, it renews that by itself. \
            Prints and keeps what `parley device add` does.
            """)

    @OptionGroup var name: DeviceArguments
    @OptionGroup var lifetime: LifetimeOption
    @OptionGroup var token: TokenOption
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let credentials = try await common.gateway.ask(
            RenewUserDevice(address: name.address, lifetimeDays: lifetime.days))
        try token.save(credentials, of: name.address, saying: "renewed the token of", by: common)
    }
}

struct RevokeDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Ends a device's token and its sessions, at once.",
        discussion: """
            An operator's device has made tokens for others. Should it have been stolen, nobody knows for whom, so \
            they are revoked with it; --keep-issued leaves them, for one that is only not used any more.
            """)

    @OptionGroup var name: DeviceArguments

    @Flag(name: .customLong("keep-issued"), help: "Leave the devices whose tokens it has made.")
    var keepsIssued = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.gateway.ask(RevokeUserDevice(address: name.address, keepsIssued: keepsIssued))
        common.output.print(done: "revoked \(name.address)")
    }
}
