import ArgumentParser
import ParleyClient
import ParleyProtocol

struct UseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Chooses the device that acts where --as names none.",
        discussion: """
            Whoever signs in first is chosen without being asked. `parley whoami --all` shows who is signed in, and who is \
            chosen.

            Example:
              parley use alice/laptop
            """)

    @Argument(help: ArgumentHelp("The device.", valueName: "UID/DID"), completion: Completions.devices)
    var device: DeviceAddress
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        guard gateway.signedInPeople().contains(device) else {
            let login = (try gateway.signInRecord(of: device))?.login(device)
            throw ToolError(
                .noAnswer,
                "\(device) is not signed in in \(gateway.path)" + (login.map { "; sign in with: \($0)" } ?? ""))
        }
        try gateway.choose(device)
        common.output.print(done: "\(device) acts where --as names nobody")
    }
}
