import ArgumentParser
import Foundation
import ParleyClient
import ParleyProtocol

struct OwnDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Lists the devices of one's own user, and removes them.",
        discussion: """
            Whether a device is certified is what this device has checked itself, whatever the gateway says. What nobody \
            has certified gets nothing that is sent.

            Examples:
              parley devices --as alice/phone
              parley devices remove --as alice/phone laptop
            """,
        subcommands: [ListOwnDevicesCommand.self, RemoveOwnDeviceCommand.self],
        defaultSubcommand: ListOwnDevicesCommand.self)

    @OptionGroup var common: CommonOptions
}

struct ListOwnDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the devices of one's own user.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        let (devices, events) = try await gateway.messaging(as: sender.device(gateway), storage: .memory) { client in
            let events = client.events()
            try await client.ready(timeout: gateway.timeout)
            return (try await client.devices.all(), events)
        }
        show(devices)
        await gateway.reportUnlinked(events)
        for device in devices where device.status == .notCertified {
            Terminal.report(
                "\(device.summary.device) is linked by none of your devices, and gets nothing; if it is not yours: parley "
                    + "devices remove --as \(try sender.device(gateway)) \(device.summary.device)")
        }
    }

    private func show(_ devices: [OwnDevice]) {
        let headings = ["DEVICE", "NAME", "KEYS", "PUSH", "LAST SEEN", "TOKEN ENDS"]
        common.output.print(devices, json: \.json, headings: headings) { device in
            let summary = device.summary
            return [
                summary.device.text, summary.name ?? "", device.status.words,
                summary.push?.provider.name ?? "",
                summary.lastSeen.map { TimeZone.local.civil($0).stamp } ?? "",
                TimeZone.local.civil(summary.expiresAt).stamp,
            ]
        }
    }
}

struct RemoveOwnDeviceCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Ends a device of one's own user: it signs in no more.")

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("The device's id.", valueName: "DID")) var device: DeviceID
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> String {
        try await client.devices.remove(device)
        return "removed \(try sender.device(common.gateway).user)/\(device)"
    }
}

extension OwnDevice {
    /// The gateway's fields, and what this device has checked itself.
    fileprivate var json: [UInt8] {
        JSONWriter.object { object in
            summary.writeMembers(to: &object)
            object.member("status", status.name)
        }
    }
}

extension OwnDevice.Status {
    /// For programs.
    fileprivate var name: String {
        switch self {
        case .current: "current"
        case .certified: "certified"
        case .notCertified: "not_certified"
        case .withoutKeys: "without_keys"
        }
    }

    /// For people.
    fileprivate var words: String {
        switch self {
        case .current: "this device"
        case .certified: "certified"
        case .notCertified: "NOT CERTIFIED"
        case .withoutKeys: "none yet"
        }
    }
}
