import ArgumentParser
import ParleyClient
import ParleyCrypto
import ParleyProtocol

/// The two ends whose keys a command is about.
struct PeerOptions: ParsableArguments {
    @Option(name: .customLong("as"), help: ArgumentHelp("The device that asks.", valueName: "UID/DID"))
    var device: DeviceAddress

    @Option(name: .customLong("with"), help: ArgumentHelp("The other user.", valueName: "UID"))
    var other: UserID

    func validate() throws {
        if other == device.user { throw ValidationError("--with takes another user than --as") }
    }
}

struct SafetyNumberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "safety-number", abstract: "Prints the number by which two users compare their keys.",
        discussion: """
            60 digits, the same on both sides as long as nobody stands between: read them to each other, by phone or in \
            person. They cover the keys of all devices of both users, so that another device changes them; which devices \
            those are is said on standard error.

            Examples:
              parley safety-number --as alice/phone --with bob
              parley safety-number --as alice/phone --with bob --qr | qrencode -t ansiutf8
            """)

    @OptionGroup var peers: PeerOptions

    @Flag(help: "The text of a code for the other's app to scan, in place of the digits.")
    var qr = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        let (number, changed) = try await gateway.messaging(as: peers.device, storage: .memory) { client in
            try await client.ready(timeout: gateway.timeout)
            return (
                try await client.safetyNumber(with: peers.other), await client.changedKeys(of: peers.other)
            )
        }
        for user in [peers.device.user, peers.other] {
            let devices = try await gateway.devicesWithKeys(of: user, asked: peers.device)
            Terminal.say("\(user): \(devices.map(\.text).joined(separator: ", "))")
        }
        for device in changed { Terminal.say(device.keyChangeWarning(for: peers.device)) }
        Terminal.print(qr ? number.code : number.description)
    }
}

struct AcceptKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept-key", abstract: "Accepts the changed keys of a user's devices.",
        discussion: """
            A device that is set up anew has another key. So has whoever pretends to be it: until the key is accepted \
            nothing is sent to that user. Compare the safety number first. That there is nothing to accept is no error.

            Example:
              parley accept-key --as alice/phone --with bob
            """)

    @OptionGroup var peers: PeerOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        let accepted = try await gateway.messaging(as: peers.device, storage: .memory) { client in
            try await client.ready(timeout: gateway.timeout)
            return try await client.acceptKeys(of: peers.other)
        }
        for device in accepted { Terminal.print("accepted the changed key of \(device)") }
        if accepted.isEmpty { Terminal.say("no key of \(peers.other) has changed") }
    }
}

extension LocalGateway {
    /// The devices of a user that have published keys.
    fileprivate func devicesWithKeys(of user: UserID, asked device: DeviceAddress) async throws -> [DeviceID] {
        var writer = JSONWriter()
        writer.object { $0.member("user_id", user) }
        guard let operation = Operation(text: RequestKind.getKeys.rawValue) else { return [] }
        let reply = try await request(operation, payload: writer.finish(), as: device)
        let devices = try? reply.data?.objects("devices", maximum: .max)
        return (devices ?? []).compactMap { try? $0.level("device_id", as: DeviceID.self) }.sorted()
    }
}
