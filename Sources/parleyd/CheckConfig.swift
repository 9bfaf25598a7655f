import ArgumentParser
import ParleyBridge

struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Check the settings and the broker's configuration, and say all that is wrong with them.")

    @OptionGroup var data: DirectoryOptions

    func run() throws {
        let directory = data.directory
        let settings = try directory.readSettings()
        for warning in try directory.checkPushes(settings) + directory.checkAccounts(settings) {
            print("\(directory.settings): warning: \(warning)")
        }
        print("\(directory.settings): no mistakes")
        let check = BrokerConfigurationCheck(directory, settings, broker: .installed())
        for warning in check.warnings { print("\(directory.brokerConfiguration): warning: \(warning)") }
        guard check.problems.isEmpty else {
            let lines = check.problems.map { "\(directory.brokerConfiguration): \($0)" }
            throw CommandError(lines.joined(separator: "\n"))
        }
        print("\(directory.brokerConfiguration): what Parley needs is there")
    }
}
