import ArgumentParser
import ParleyClient
import ParleyProtocol
import PrivateFiles

struct RenameUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Gives a user another display name. The id never changes.")

    @Argument(help: ArgumentHelp("The user's id.", valueName: "UID")) var user: UserID

    @Argument(help: ArgumentHelp("What people see, at most \(Limits.nameCharacters) characters.", valueName: "NAME"))
    var name: String

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let change = try await common.gateway.ask(RenameUser(user: user, displayName: name))
        common.output.print(
            change,
            as: change.isChanged
                ? "\(user) is called \(name) now; the id stays \(user)" : "\(user) is called \(name) already")
    }
}

struct DisableUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Has a user sign in nowhere, from now on; nothing is deleted.",
        discussion: """
            Sessions of all their devices end at once, tokens and passwords sign in no more, and nothing goes to push \
            services. Others see a user who is away: what they write is kept. `parley user enable` takes it back.
            """)

    @Argument(help: ArgumentHelp("The user's id.", valueName: "UID")) var user: UserID
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let change = try await common.gateway.ask(DisableUser(user: user))
        common.output.print(
            change,
            as: change.isChanged
                ? "\(user) is disabled and signs in nowhere; `parley user enable \(user)` takes it back"
                : "\(user) is disabled already")
    }
}

struct EnableUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Lets a disabled user sign in again, with the tokens that they have.")

    @Argument(help: ArgumentHelp("The user's id.", valueName: "UID")) var user: UserID
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let change = try await common.gateway.ask(EnableUser(user: user))
        common.output.print(change, as: change.isChanged ? "\(user) may sign in again" : "\(user) is not disabled")
    }
}

struct RemoveUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Deletes a user's account, for good.",
        discussion: """
            The same as when they delete it themselves: devices, profile and ways to sign in go at once, the rest soon \
            after. What they have sent stays in others' conversations, as ciphertext of a user without a name. The id stays \
            taken. It asks for the id at a terminal; in a script --yes answers.
            """)

    @Argument(help: ArgumentHelp("The user's id.", valueName: "UID")) var user: UserID
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        try await Confirmation.require(of: user, yes, "deletes the account of \(user) for good")
        let change = try await gateway.ask(RemoveUser(user: user))
        common.output.print(change, as: change.isChanged ? "removed \(user)" : "\(user) is removed already")
        gateway.reportFiles(of: user)
    }
}

/// The question before what cannot be taken back.
enum Confirmation {
    /// - Parameter isGiven: by an option.
    /// - Throws: `ToolError` unless the user's id is typed.
    static func require(of user: UserID, _ isGiven: Bool, _ consequence: String) async throws {
        guard !isGiven else { return }
        var answers = Answers()
        guard answers.isTerminal else { throw ToolError(.usage, "this \(consequence); --yes says that it is meant") }
        guard try await answers.next("this \(consequence); type \(user) to go on") == user.text else {
            throw ToolError(.usage, "that is not \(user); nothing was done")
        }
    }
}

extension LocalGateway {
    /// Says what a removed user has left in this data directory, which the gateway does not know.
    func reportFiles(of user: UserID) {
        let directory = "\(path)/devices/\(user)"
        guard (try? Files.identity(of: directory)) != nil else { return }
        Terminal.report(
            "keys and messages of \(user) are left in \(directory.printable); remove it if nobody needs them")
    }
}
