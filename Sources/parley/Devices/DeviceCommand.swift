import ArgumentParser
import ParleyClient
import ParleyProtocol

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Adds and revokes devices of users.",
        subcommands: [AddDeviceCommand.self, ExportDeviceCommand.self, RevokeDeviceCommand.self])

    @OptionGroup var common: CommonOptions
}

/// The two ids that name a device.
struct DeviceArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The user's id.", valueName: "UID")) var user: UserID

    @Argument(help: ArgumentHelp("The device's id: 1 to 64 letters, digits, _ or -.", valueName: "DID"))
    var device: DeviceID

    var address: DeviceAddress { DeviceAddress(user: user, device: device) }
}

struct AddDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds a device to a user, or makes its token anew, and prints its credentials.",
        discussion: """
            Prints one JSON object with username, client_id, password and expires_at: what an MQTT client signs in \
            with. The password is a secret. The same object is kept in DIR/devices/UID/DID/credentials.json, readable \
            by its owner alone, where `parley request --as UID/DID` finds it; beside it the same for mosquitto_sub, \
            mosquitto_pub and mosquitto_rr, which take it with XDG_CONFIG_HOME=DIR/devices/UID/DID.

            A token made anew ends the old one, and the device's sessions with it.
            """)

    @OptionGroup var name: DeviceArguments

    @Option(
        name: .customLong("ttl"),
        help: ArgumentHelp("How long the token lives; without, as the gateway's settings say.", valueName: "DAYS"))
    var lifetimeDays: Int?

    @Option(
        name: .customLong("name"),
        help: ArgumentHelp("What its user calls the device; without, it keeps the name that it has.", valueName: "NAME")
    )
    var displayName: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let lifetimeDays, !(1...3650).contains(lifetimeDays) { throw ValidationError("--ttl takes 1 to 3650 days") }
    }

    func run() async throws {
        let gateway = common.gateway
        let credentials = try await gateway.ask(
            AddDevice(address: name.address, lifetimeDays: lifetimeDays, name: displayName))
        // Printed first: the token before this one has ended, and a disk that is full must not lose both.
        Terminal.printJSON(credentials.json)
        try gateway.save(credentials, of: name.address)
    }
}

struct RevokeDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Ends a device's token and its sessions, at once.",
        discussion: """
            An operator's device has made tokens for others. Should it have been stolen, nobody knows for whom, so they \
            are revoked with it; --keep-issued leaves them, for one that is only not used any more.
            """)

    @OptionGroup var name: DeviceArguments

    @Flag(name: .customLong("keep-issued"), help: "Leave the devices whose tokens it has made.")
    var keepsIssued = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.gateway.ask(RevokeUserDevice(address: name.address, keepsIssued: keepsIssued))
    }
}
