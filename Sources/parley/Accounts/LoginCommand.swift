import ArgumentParser
import ParleyClient
import ParleyProtocol

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Signs in, by an operator's file or token, or at a web door as a device of an account.",
        discussion: """
            FILE is what `parley device export` has made at the gateway. Nothing else is needed then, and nothing asked; \
            it holds a secret, and is of no use once the device has renewed its token.

            At mqtts://HOST or wss://HOST/mqtt: with the token that an operator has handed over, which is asked for, or read \
            from the file of --token-file: the token alone, or the JSON object that it came in.

            At a web door, https://HOST: asks for the email address and the password, which is not shown. Where standard input is no terminal, each is \
            a line of it. The device then works as one that an operator has added: its credentials are in \
            DIR/devices/UID/DID/, and beside them, in sign-in.json, the door and the broker that it belongs to. DIR is \
            made if it is not there; it may be the gateway's own data directory. Keys are made, as at every device's \
            first use; the door sees none.

            Whoever signs in again with the same address is the same device, with its keys and messages.

            Examples:
              parley login alice-phone.parley
              parley login mqtts://chat.example.org --token-file token --ca ca.pem
              parley login wss://chat.example.org/mqtt --token-file token --link
              parley login https://chat.example.org
              parley login https://chat.example.org --email alice@example.org --code
              parley login https://chat.example.org --reset
              parley login https://chat.example.org --mqtt mqtt.example.org:8883
            """)

    enum Way: String, EnumerableFlag {
        case code, reset

        static func help(for value: Way) -> ArgumentHelp? {
            switch value {
            case .code: "The code, too, of an account that was registered and not yet used."
            case .reset: "The password is forgotten: sets another by a code that is sent. Signs out all devices."
            }
        }
    }

    @Argument(
        help: ArgumentHelp(
            "A file of `parley device export`; or the gateway: mqtts://HOST[:PORT], wss://HOST[:PORT]/mqtt, or its web "
                + "door, https://HOST. Certificates and names are checked. On this machine mqtt://, ws:// and http://, too.",
            valueName: "FILE-or-URL"), transform: { try SignInPlace($0) })
    var place: SignInPlace

    @OptionGroup var signIn: SignInOptions
    @Flag var way: Way?

    @Option(
        name: .customLong("token-file"),
        help: ArgumentHelp("A file with the device's token; without, it is asked for.", valueName: "FILE"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "The web door that the device's files go by, beside mqtts://HOST; without it, none.", valueName: "URL"))
    var door: DoorAddress?

    @Flag(help: "Then shows a code by which another device of the user links this one, and waits, as `parley link`.")
    var link = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        switch place {
        case .broker:
            guard signIn.email == nil, signIn.passwordFile == nil, signIn.mqtt == nil, way == nil else {
                throw ValidationError("an account signs in at the web door, https://HOST; here a token does")
            }
        case .door, .file:
            guard tokenFile == nil, door == nil else {
                throw ValidationError("--token-file and --door are for mqtts://HOST and wss://HOST/mqtt")
            }
        }
    }

    func run() async throws {
        let gateway = common.gateway
        let device =
            switch place {
            case .file(let path): try await gateway.signIn(by: path, common.output)
            case .broker(let address): try await signIn(at: address)
            case .door(let address): try await signIn(at: address)
            }
        if link { try await gateway.offerLink(as: device, by: common.output) }
    }

    private func signIn(at address: BrokerAddress) async throws -> DeviceAddress {
        let token = try await HandedToken(from: tokenFile)
        guard signIn.device == nil || signIn.device == token.device.device else {
            throw ToolError(.usage, "the token is for \(token.device)")
        }
        try await common.gateway.signIn(
            token.credentials, of: token.device, at: signIn.record(at: address, door), by: common.output)
        return token.device
    }

    private func signIn(at address: DoorAddress) async throws -> DeviceAddress {
        let gateway = common.gateway
        var answers = Answers()
        let email = try await signIn.email(&answers)
        let door = signIn.webDoor(address, gateway)
        let device = signIn.signInDevice(email, at: address, gateway)
        let signedIn: SignedIn
        switch way {
        case nil:
            let password = try await signIn.password(of: email, &answers)
            try gateway.prepareForSignIn()
            signedIn = try await door.naming { try await door.signIn(email, password, on: device) }
        case .code:
            let password = try await signIn.password(of: email, &answers)
            try gateway.prepareForSignIn()
            guard let verified = try await door.verify(email, password, on: device, &answers) else {
                throw ToolError(.usage, "standard input has no line for the code")
            }
            signedIn = verified
        case .reset:
            try gateway.prepareForSignIn()
            let password = try await reset(email, door, &answers)
            signedIn = try await door.naming { try await door.signIn(email, password, on: device) }
        }
        try await gateway.complete(
            signedIn, at: signIn.record(email, at: address, gateway), by: common.output)
        return signedIn.address
    }

    /// Sets a new password, and gives it.
    private func reset(
        _ email: EmailAddress, _ door: WebDoor, _ answers: inout Answers
    ) async throws -> AccountPassword {
        try await door.naming { try await door.sendCode(to: email) }
        Terminal.report(
            "if \(email) has an account, a code was sent; it counts for \(AccountCode.minutesOfLife) minutes")
        let code = try AccountCode(typed: await answers.required(WebDoor.codeQuestion(email)))
        let password = try await signIn.newPassword(for: email, &answers)
        try await door.naming { try await door.reset(email, code, to: password) }
        return password
    }
}

/// Where one signs in.
enum SignInPlace {
    case door(DoorAddress)
    case broker(BrokerAddress)
    /// The path of a file that an operator has made.
    case file(String)

    init(_ argument: String) throws(ValidationError) {
        guard argument.contains("://") else {
            guard !argument.isEmpty else { throw ValidationError("FILE-or-URL is empty") }
            self = .file(argument)
            return
        }
        if BrokerAddress.isURL(argument) {
            guard let broker = BrokerAddress(argument: argument) else { throw SignInPlace.misfit(argument) }
            self = .broker(broker)
        } else {
            guard let door = DoorAddress(argument: argument) else { throw SignInPlace.misfit(argument) }
            self = .door(door)
        }
    }

    private static func misfit(_ argument: String) -> ValidationError {
        let encrypted = [("mqtt://", "mqtts"), ("ws://", "wss"), ("http://", "https")]
        guard let (_, scheme) = encrypted.first(where: { argument.hasPrefix($0.0) }) else {
            return ValidationError("\(argument.printable) is no address of a gateway: say mqtts://HOST or https://HOST")
        }
        return ValidationError(
            "\(argument.printable): without TLS a gateway is only reached on this machine: say \(scheme)://HOST")
    }
}

extension WebDoor {
    /// How often a code is asked for; the gateway takes five.
    private static let attempts = 3

    static func codeQuestion(_ email: EmailAddress) -> String { "the code that was sent to \(email)" }

    /// Asks for the code of a registration and signs in with it; at a terminal again if it was wrong.
    ///
    /// - Returns: `nil` where standard input has ended.
    func verify(
        _ email: EmailAddress, _ password: AccountPassword, on device: SignInDevice, _ answers: inout Answers
    ) async throws -> SignedIn? {
        for attempt in 1... {
            guard let text = try await answers.next(WebDoor.codeQuestion(email)) else { return nil }
            do {
                return try await verify(email, AccountCode(typed: text), password, on: device)
            } catch let error where answers.isTerminal && attempt < WebDoor.attempts && error.isOfCode {
                Terminal.report("that is not the code, or it has expired; once more")
            } catch let rejection as Rejection {
                throw ToolError(rejection)
            }
        }
        return nil
    }

    /// Runs `body`; a refusal becomes the gateway's own sentence.
    func naming<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let rejection as Rejection {
            throw ToolError(rejection)
        }
    }
}

extension Error {
    /// Whether another code may do.
    fileprivate var isOfCode: Bool {
        (self as? Rejection)?.code == .unauthenticated || (self as? ToolError)?.status == .usage
    }
}
