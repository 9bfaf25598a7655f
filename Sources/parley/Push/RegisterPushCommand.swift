import ArgumentParser
import ParleyClient
import ParleyProtocol

struct RegisterPushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Has a device reached by a push service from now on, and by no other.",
        discussion: """
            A device has one registration. Who was reached by the same URL or token before is so no more.

            Examples:
              parley push register webhook --as bob/phone https://example.org/bob --secret - < secret
              parley push register fcm --as bob/phone TOKEN
            """,
        subcommands: [Webhook.self, WebPush.self, APNs.self, FCM.self])

    struct Webhook: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "webhook", abstract: "A URL of your own, which is told by signed POST requests.")

        @OptionGroup var sender: SenderOptions

        @Option(
            help: ArgumentHelp(
                "The key of the signature, 16 to 256 characters; - reads it from standard input.", valueName: "SECRET"))
        var secret: String

        @Argument(help: ArgumentHelp("Where it is: https.", valueName: "URL"))
        var url: WebURL

        @OptionGroup var common: CommonOptions

        func run() async throws {
            let secret = secret == "-" ? try readSecret() : secret
            try await common.register(as: sender) { object in
                object.member("provider", PushProvider.webhook.rawValue)
                object.member("endpoint", url.text)
                object.member("secret", secret)
            }
        }

        private func readSecret() throws(ToolError) -> String {
            let line = try StandardInput.read().prefix { $0 != UInt8(ascii: "\n") }
            guard let secret = String(validating: line, as: UTF8.self) else {
                throw ToolError(.usage, "standard input is not UTF-8")
            }
            return secret
        }
    }

    struct WebPush: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "webpush", abstract: "A subscription of a browser or of UnifiedPush (RFC 8030).")

        @OptionGroup var sender: SenderOptions

        @Option(help: ArgumentHelp("The subscription's public key, in base64url.", valueName: "KEY"))
        var p256dh: String

        @Option(help: ArgumentHelp("The subscription's secret, in base64url.", valueName: "SECRET"))
        var auth: String

        @Argument(help: ArgumentHelp("Where it is: https.", valueName: "URL"))
        var url: WebURL

        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.register(as: sender) { object in
                object.member("provider", PushProvider.webpush.rawValue)
                object.member("endpoint", url.text)
                object.member("p256dh", p256dh)
                object.member("auth", auth)
            }
        }
    }

    struct APNs: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apns", abstract: "A device of Apple's.")

        @OptionGroup var sender: SenderOptions

        @Option(help: ArgumentHelp("The app's bundle id.", valueName: "TOPIC"))
        var topic: String

        @Argument(help: ArgumentHelp("The device token, in hexadecimal digits.", valueName: "TOKEN"))
        var token: String

        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.register(as: sender) { object in
                object.member("provider", PushProvider.apns.rawValue)
                object.member("token", token)
                object.member("topic", topic)
            }
        }
    }

    struct FCM: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "fcm", abstract: "A device that Firebase Cloud Messaging reaches.")

        @OptionGroup var sender: SenderOptions

        @Argument(help: ArgumentHelp("The registration token.", valueName: "TOKEN"))
        var token: String

        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.register(as: sender) { object in
                object.member("provider", PushProvider.fcm.rawValue)
                object.member("token", token)
            }
        }
    }
}

struct UnregisterPushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister", abstract: "Has a device reached by no push service any more.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.signedIn(as: sender) { client in try await client.push.unregister() }
        common.output.print(done: "\(try sender.device(common.gateway)) is reached by no push service")
    }
}

extension CommonOptions {
    /// Registers a device by what the fields say, checked as the gateway checks them.
    fileprivate func register(as sender: SenderOptions, _ fields: (inout JSONWriter) -> Void) async throws {
        let target: PushTarget
        do {
            target = try PushTarget(members: JSONObject(parsing: JSONWriter.object(fields)))
        } catch let error as Rejection {
            throw ValidationError(error.message)
        }
        let time = try await signedIn(as: sender) { client in try await client.push.register(target) }
        let device = try sender.device(gateway)
        output.print(
            json: JSONWriter.object { object in
                object.member("user_id", device.user)
                object.member("device_id", device.device)
                object.member("provider", target.provider.rawValue)
                object.member("registered_at", time)
            }, as: ["\(device) is reached by \(target.provider.rawValue) since \(TimeZone.local.civil(time).stamp)"])
    }
}

extension WebURL: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
