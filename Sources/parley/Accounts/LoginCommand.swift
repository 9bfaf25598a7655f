import ArgumentParser
import ParleyClient
import ParleyProtocol

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Signs in at a web door, as a device of an account that one has, or by an operator's file.",
        discussion: """
            FILE is what `parley device export` has made at the gateway. Nothing else is needed then, and nothing asked; \
            it holds a secret, and is of no use once the device has renewed its token.

            At a web door: \
            Asks for the email address and the password, which is not shown. Where standard input is no terminal, each is \
            a line of it. The device then works as one that an operator has added: its credentials are in \
            DIR/devices/UID/DID/, and beside them, in sign-in.json, the door and the broker that it belongs to. DIR is \
            made if it is not there; it may be the gateway's own data directory. Keys are made, as at every device's \
            first use; the door sees none.

            Whoever signs in again with the same address is the same device, with its keys and messages.

            Examples:
              parley login https://chat.example.org
              parley login https://chat.example.org --email alice@example.org --code
              parley login https://chat.example.org --reset
              parley login https://chat.example.org --mqtt mqtt.example.org:8883
              parley login alice-phone.parley
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
            "The web door: https://…, or http://… on this machine; certificates are checked. Or a file of "
                + "`parley device export`.",
            valueName: "URL-or-FILE"))
    var place: SignInPlace

    @OptionGroup var signIn: SignInOptions
    @Flag var way: Way?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        switch place {
        case .file(let path): try await common.gateway.signIn(by: path)
        case .door(let address): try await signIn(at: address)
        }
    }

    private func signIn(at address: DoorAddress) async throws {
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
        try await gateway.complete(signedIn, at: signIn.record(email, at: address, gateway))
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
enum SignInPlace: ExpressibleByArgument {
    case door(DoorAddress)
    /// The path of a file that an operator has made.
    case file(String)

    init?(argument: String) {
        guard argument.contains("://") else {
            guard !argument.isEmpty else { return nil }
            self = .file(argument)
            return
        }
        guard let door = DoorAddress(argument: argument) else { return nil }
        self = .door(door)
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
