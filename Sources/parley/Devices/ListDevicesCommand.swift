import ArgumentParser
import Foundation
import ParleyClient
import ParleyProtocol

struct ListDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists a user's devices: when they were last seen, when their tokens end.",
        discussion: """
            In JSON: device_id, name, created_at, last_seen, expires_at, has_keys, is_certified, push. When a device \
            was last seen goes by its requests, to within ten minutes.
            """)

    @Argument(help: ArgumentHelp("The user's id.", valueName: "UID")) var user: UserID
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let devices = try await common.gateway.ask(GetUser(user: user)).devices
        common.output.print(devices, headings: DeviceSummary.headings) { $0.row }
    }
}

extension DeviceSummary {
    static let headings = ["DEVICE", "NAME", "SINCE", "LAST SEEN", "TOKEN ENDS", "KEYS", "PUSH"]

    /// For operators.
    var row: [String] {
        [
            device.text, name ?? "", createdAt.stamp, lastSeen?.stamp ?? "never", expiresAt.stamp,
            isCertified ? "certified" : hasKeys ? "yes" : "none yet", push?.provider.name ?? "",
        ]
    }
}

extension Timestamp {
    fileprivate var stamp: String { TimeZone.local.civil(self).stamp }
}
