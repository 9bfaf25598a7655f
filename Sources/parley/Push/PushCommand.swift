import ArgumentParser

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Says how a device is reached while it is not connected, and shows what comes then.",
        subcommands: [
            RegisterPushCommand.self, UnregisterPushCommand.self, ListenPushCommand.self, OpenPushCommand.self,
            TestPushCommand.self,
        ])
}
