import ArgumentParser
import ParleyClient
import ParleyProtocol

struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Makes an account for oneself at a web door, and signs in.",
        discussion: """
            Asks for the email address, the user id that is wished for and a password, which is typed twice and not shown; \
            then for the code that was sent to the address. Where standard input is no terminal, each is a line of it, \
            once. Without a line for the code the account waits for `parley login --code`, 15 minutes at most.

            Whether people may make accounts is a setting of the gateway's. What this leaves is described at `parley login`.

            Examples:
              parley register https://chat.example.org
              parley register http://localhost:9893 --email alice@example.org --user alice --device phone
            """)

    @Argument(help: DoorAddress.help) var address: DoorAddress
    @OptionGroup var signIn: SignInOptions

    @Option(help: ArgumentHelp("The user id that is wished for; without, it is asked for.", valueName: "UID"))
    var user: UserID?

    @Option(
        name: .customLong("name"),
        help: ArgumentHelp("What others see; without, the user id.", valueName: "NAME"))
    var displayName: String?

    @Option(help: ArgumentHelp("An invite to a group, where the gateway asks for one.", valueName: "LINK"))
    var invite: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let invite, InviteToken(linkOrToken: invite) == nil {
            throw ValidationError("--invite takes a link to a group, or its token")
        }
    }

    func run() async throws {
        let gateway = common.gateway
        let invite = invite.flatMap { InviteToken(linkOrToken: $0) }
        var answers = Answers()
        let email = try await signIn.email(&answers)
        let user = try await askedUser(&answers)
        let password = try await signIn.newPassword(for: email, &answers)
        let door = signIn.webDoor(address, gateway)
        try gateway.prepareForSignIn()
        try await door.naming {
            try await door.register(
                email, password, as: NewUser(user: user, displayName: displayName, invite: invite))
        }
        Terminal.report("a mail was sent to \(email); the code in it counts for \(AccountCode.minutesOfLife) minutes")
        let device = signIn.signInDevice(email, at: address, gateway)
        guard let signedIn = try await door.verify(email, password, on: device, &answers) else {
            return Terminal.report("type it with: parley login \(door.address.text) --email \(email) --code")
        }
        try await gateway.complete(
            signedIn, at: signIn.record(email, at: address, gateway), by: common.output)
    }

    private func askedUser(_ answers: inout Answers) async throws -> UserID {
        if let user { return user }
        guard let user = UserID(try await answers.required("the user id")) else {
            throw ToolError(.usage, "a user id has 1 to 64 letters, digits, _ or -")
        }
        return user
    }
}
