import ArgumentParser
import ParleyClient
import ParleyProtocol

struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Sends one request as a device and prints the reply.",
        discussion: """
            The reply is printed as one JSON object on one line; control characters in it are written as \\uXXXX, which \
            means the same. Exit status 0: accepted; 1: rejected.
            The request is repeated until there is a reply, which does nothing twice.

            Requests that never get a reply (typing/start, typing/stop) print nothing and end with 0 once the broker \
            has them.

            The device's credentials are those that `parley device add` kept in DIR/devices/UID/DID/. The device's \
            app may be connected at the same time. After devices/renew the new token is kept in place of the old one.

            Examples:
              parley request --as alice/phone conversations/list
              parley request --as alice/phone profile/set '{"display_name":"Alice"}'
              parley request --as alice/phone messages/send - < message.json
            """)

    @OptionGroup var sender: SenderOptions

    @Argument(help: ArgumentHelp("What is asked for, such as messages/send.", valueName: "AREA/VERB"))
    var operation: Operation

    @Argument(
        help: ArgumentHelp(
            "The request's fields, as a JSON object; - reads them from standard input.", valueName: "JSON"))
    var fields: String = "{}"

    @OptionGroup var common: CommonOptions

    func validate() throws {
        try common.output.refuse(\.text, because: "the reply is printed as the gateway gives it")
    }

    func run() async throws {
        let gateway = common.gateway
        let device = try sender.device(gateway)
        let payload = fields == "-" ? try StandardInput.read() : Array(fields.utf8)
        if let warning = gateway.expiryWarning(for: device, now: .now) { Terminal.report(warning) }
        let hasReply = OperationTable.request(operation)?.hasReply ?? true
        let reply =
            hasReply
            ? try await gateway.request(operation, payload: payload, as: device)
            : try await gateway.notify(operation, payload: payload, as: device)
        guard let reply else { return }
        Terminal.printJSON(reply.payload)
        if operation == RenewDevice.operation { try gateway.saveRenewed(reply, of: device) }
        if !reply.isAccepted { throw ExitCode(Status.rejected.rawValue) }
    }
}

extension LocalGateway {
    private static let warningDays: Int64 = 3

    /// A sentence when a device's token has little of its life left. It is not renewed here: another program may hold
    /// the same token, which ends once the new one has signed in.
    func expiryWarning(for device: DeviceAddress, now: Timestamp) -> String? {
        guard !device.isOperatorConsole,
            let credentials = try? DeviceDirectory(of: device, in: path).readCredentials()
        else { return nil }
        let left = credentials.expiresAt.milliseconds - now.milliseconds
        guard left > 0, left < LocalGateway.warningDays * 86_400_000 else { return nil }
        let command =
            (try? signInRecord(of: device))?.login(device)
            ?? "parley device renew-token \(device.user) \(device.device)"
        return "the token of \(device) ends at \(credentials.expiresAt); devices/renew or `\(command)` makes a new one"
    }
}

extension LocalGateway {
    /// Saves the token that `devices/renew` gave, in place of the one that it ends.
    fileprivate func saveRenewed(_ reply: GatewayReply, of device: DeviceAddress) throws {
        guard let data = reply.data, let password = try? data.text("password", maximum: 8192),
            let expiry = try? data.text("expires_at", maximum: 64), let expiresAt = Timestamp(expiry)
        else { return }
        try save(DeviceCredentials(of: device, password: password, expiresAt: expiresAt), of: device)
    }
}
