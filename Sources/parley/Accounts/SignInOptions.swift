import ArgumentParser
import ParleyClient
import ParleyProtocol
import PrivateFiles

/// The options of every way to sign in by a web door.
struct SignInOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The account's email address; without, it is asked for.", valueName: "ADDRESS"))
    var email: EmailAddress?

    @Option(
        name: .customLong("password-file"),
        help: ArgumentHelp(
            "A file with the password on its first line; without, it is asked for.", valueName: "FILE"))
    var passwordFile: String?

    @Option(
        help: ArgumentHelp(
            "The device's id; without, that of the last sign-in of this address here, or else a new one.",
            valueName: "DID"))
    var device: DeviceID?

    @Option(
        name: .customLong("device-name"), help: ArgumentHelp("What its user calls the device.", valueName: "NAME"))
    var deviceName: String?

    @Option(
        help: ArgumentHelp(
            "Where the broker takes MQTT: HOST:PORT by TLS, wss://HOST/mqtt by the door's WebSocket, mqtt://HOST:PORT "
                + "without TLS, on this machine alone. Default: "
                + "what DIR/endpoint.json says, where the door is that gateway's; or else the door's host, port 8883, and "
                + "1893 on this machine.",
            valueName: "HOST:PORT"))
    var mqtt: BrokerAddress?

    @Option(
        name: .customLong("ca"),
        help: ArgumentHelp("A PEM file of certificates to trust, for a gateway with one of its own.", valueName: "FILE")
    )
    var caFile: String?
}

extension DoorAddress {
    static let help = ArgumentHelp(
        "The web door: https://…, or http://… on this machine. Certificates are checked.", valueName: "URL")
}

extension SignInOptions {
    func webDoor(_ door: DoorAddress, _ gateway: LocalGateway) -> WebDoor {
        WebDoor(address: door, timeout: gateway.timeout, caFile: caFile)
    }

    func email(_ answers: inout Answers) async throws -> EmailAddress {
        if let email { return email }
        guard let email = EmailAddress(try await answers.required("the email address")) else {
            throw ToolError(.usage, "that is not an email address")
        }
        return email
    }

    func password(of email: EmailAddress, _ answers: inout Answers) async throws -> AccountPassword {
        let text =
            if let typed = try readPasswordFile() { typed } else {
                try await answers.required("the password of \(email)", isSecret: true)
            }
        return try AccountPassword(typed: text)
    }

    func newPassword(for email: EmailAddress, _ answers: inout Answers) async throws -> AccountPassword {
        let text =
            if let typed = try readPasswordFile() { typed } else {
                try await answers.newSecret("a new password for \(email)")
            }
        let password = try AccountPassword(typed: text)
        guard password.isLongEnough else {
            throw ToolError(.usage, "a new password has at least \(AccountPassword.minimumNewLength) characters")
        }
        return password
    }

    private func readPasswordFile() throws(ToolError) -> String? {
        guard let passwordFile else { return nil }
        let file = SecretFile(path: passwordFile, danger: "sign in with it")
        guard let text = try file.readFirstLine(maximum: 4096), !text.isEmpty else {
            throw ToolError(.noAnswer, "\(passwordFile.printable) does not begin with a password")
        }
        return text
    }

    /// The record of a sign-in with a token.
    ///
    /// - Parameter door: that files go by; `nil` for the broker's own, if it is one.
    func record(at broker: BrokerAddress, _ door: DoorAddress?) throws(ToolError) -> SignInRecord {
        SignInRecord(
            door: door?.text ?? broker.door, email: nil, endpoint: broker.endpoint(trusting: try trusted()))
    }

    /// The device to sign in as.
    func signInDevice(_ email: EmailAddress, at door: DoorAddress, _ gateway: LocalGateway) -> SignInDevice {
        let earlier = gateway.signedInDevices { $0.door == door.text && $0.email == email }
        return SignInDevice(device: device ?? (earlier.count == 1 ? earlier.first?.device : nil), name: deviceName)
    }

    /// The record of a sign-in.
    func record(
        _ email: EmailAddress, at door: DoorAddress, _ gateway: LocalGateway
    ) throws(ToolError) -> SignInRecord {
        SignInRecord(door: door.text, email: email, endpoint: try endpoint(door, gateway))
    }

    /// - Returns: `nil` for the gateway of the data directory.
    private func endpoint(_ door: DoorAddress, _ gateway: LocalGateway) throws(ToolError) -> LocalEndpoint? {
        if let mqtt {
            return mqtt.endpoint(trusting: try trusted(), besides: door)
        }
        if door.isPlain, let own = try? LocalEndpoint.read(in: gateway.path), own.webPort == door.port { return nil }
        return door.isPlain
            ? LocalEndpoint(host: door.host, mqttPort: SignInOptions.plainPort, transport: .plain)
            : LocalEndpoint(
                host: door.host, mqttPort: SignInOptions.tlsPort, transport: .tls(caFile: try trusted()))
    }

    /// Those of `parleyd init`.
    private static let (plainPort, tlsPort): (UInt16, UInt16) = (1893, 8883)

    /// The path of the certificates to trust; `nil` for the system's.
    private func trusted() throws(ToolError) -> String? {
        guard let caFile else { return nil }
        do throws(FileError) {
            return try Files.absolutePath(caFile)
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }
}

extension AccountPassword {
    /// - Throws: ``ToolError`` if it is empty or too long.
    init(typed text: String) throws(ToolError) {
        guard let password = AccountPassword(text) else {
            throw ToolError(.usage, "a password has 1 to \(AccountPassword.maximumLength) characters")
        }
        self = password
    }
}

extension AccountCode {
    /// Blanks between the digits are left out.
    init(typed text: String) throws(ToolError) {
        guard let code = AccountCode(text.filter { !$0.isWhitespace }) else {
            throw ToolError(.usage, "a code has \(AccountCode.length) digits")
        }
        self = code
    }
}

extension EmailAddress: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
