import ArgumentParser
import Foundation
import ParleyClient
import ParleyProtocol

struct WhoAmICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Shows who is signed in, as which device and where, and by what ways.",
        discussion: """
            What is known here comes first: user, device, gateway and the end of the token. The address of the account and \
            the ways to sign in are the gateway's to say; --offline does not ask it.

            --all lists every device that is signed in here, and asks nobody; a star is before the one that acts where \
            --as names none.
            """)

    @OptionGroup var sender: SenderOptions
    @Flag(help: "List all devices that are signed in here.") var all = false
    @Flag(help: "Show only what is known here.") var offline = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if all, sender.named != nil { throw ValidationError("--all is for every device, and --as for one") }
    }

    func run() async throws {
        let gateway = common.gateway
        if all { return try list(gateway) }
        let device = try sender.device(gateway)
        let (known, isJSON) = (try gateway.signIn(of: device), common.output.isJSON)
        if !isJSON { known.lines.forEach(Terminal.print) }
        let account = offline ? nil : try await gateway.account(of: device)
        if isJSON { return Terminal.printJSON(known.json(account)) }
        account?.lines.forEach(Terminal.print)
    }

    private func list(_ gateway: LocalGateway) throws(ToolError) {
        let devices = gateway.signedInPeople()
        let chosen = try gateway.chosenDevice() ?? (devices.count == 1 ? devices.first : nil)
        let isJSON = common.output.isJSON
        var table = Table(headings: ["", "device", "broker", "token until"])
        for device in devices {
            let known = try gateway.signIn(of: device)
            if isJSON {
                Terminal.printJSON(known.json(nil, isDefault: device == chosen))
            } else {
                table.add([
                    device == chosen ? "*" : "", "\(device)", known.endpoint.url,
                    TimeZone.local.civil(known.expiresAt).stamp,
                ])
            }
        }
        if !isJSON { table.print() }
        if devices.isEmpty { Terminal.report("nobody is signed in in \(gateway.path)") }
    }
}

/// What the data directory knows of a device that is signed in.
struct KnownSignIn {
    let device: DeviceAddress
    let record: SignInRecord?
    let endpoint: LocalEndpoint
    let expiresAt: Timestamp

    var lines: [String] {
        [
            "device: \(device)", (record?.door).map { "web door: \($0)" }, "broker: \(endpoint.url)",
            "token: until \(TimeZone.local.civil(expiresAt).stamp)",
        ].compactMap(\.self)
    }

    func json(_ account: AccountState?, isDefault: Bool? = nil) -> [UInt8] {
        JSONWriter.object { object in
            object.member("user_id", device.user)
            object.member("device_id", device.device)
            object.member("door", record?.door)
            object.member("broker", endpoint.url)
            object.member("expires_at", expiresAt)
            object.member("is_default", isDefault)
            if let account {
                object.member("email", account.email)
                object.member("has_password", account.hasPassword)
                object.member("providers", array: account.providers.map(\.provider)) { $0.value($1) }
            }
        }
    }
}

extension AccountState {
    fileprivate var lines: [String] {
        let ways = (hasPassword ? ["password"] : []) + providers.map(\.provider.text)
        return [
            "email: \(email ?? "none")",
            "signs in by: \(ways.isEmpty ? "what an operator hands over" : ways.joined(separator: ", "))",
        ]
    }
}

extension LocalGateway {
    fileprivate func signIn(of device: DeviceAddress) throws(ToolError) -> KnownSignIn {
        let directory = DeviceDirectory(of: device, in: path)
        try requireCredentials(directory)
        let credentials: DeviceCredentials
        do throws(CredentialsError) {
            credentials = try directory.readCredentials()
        } catch {
            throw ToolError(.noAnswer, sentence(.noCredentials(error), device))
        }
        return KnownSignIn(
            device: device, record: try signInRecord(of: device), endpoint: try endpoint(of: device),
            expiresAt: credentials.expiresAt)
    }

    fileprivate func account(of device: DeviceAddress) async throws -> AccountState {
        try await connect(as: device) { connection in
            do throws(RequestError) {
                return try await GatewayRequests(connection, timeout: timeout).ask(GetAccount())
            } catch {
                switch error {
                case .refused(let rejection): throw ToolError(rejection)
                case .unanswered(let failure): throw self.failure(failure, device)
                case .unreadable: throw self.failure(.malformedReply, device)
                }
            }
        }
    }
}
