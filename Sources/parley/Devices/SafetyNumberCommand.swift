import ArgumentParser
import ParleyClient
import ParleyCrypto
import ParleyProtocol

/// The two users whose keys a command compares.
struct PeerOptions: ParsableArguments, DeviceOptions {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The device that asks. Default: that of `parley use`, or the only one.", valueName: "UID/DID"))
    var named: DeviceAddress?

    @Option(name: .customLong("with"), help: ArgumentHelp("The other user.", valueName: "UID"))
    var other: UserID

    func validate() throws {
        if other == named?.user { throw ValidationError("--with takes another user than --as") }
    }
}

struct SafetyNumberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "safety-number", abstract: "Prints the number by which two users compare their keys.",
        discussion: """
            60 digits, the same on both sides as long as nobody stands between: read them to each other, by phone or in \
            person. They are made of the account keys of both users, so that another device changes nothing; of a user \
            without one, of the keys of all devices. Which devices there are is said on standard error.

            Examples:
              parley safety-number --as alice/phone --with bob
              parley safety-number --as alice/phone --with bob --qr
            """)

    @OptionGroup var peers: PeerOptions

    @Flag(help: "The code for the other's app to scan, in place of the digits: as text, and drawn in a terminal.")
    var qr = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let device = try peers.device(common.gateway)
        let shown = try await common.signedIn(as: peers) { try await $0.keys.safetyNumber(with: peers.other) }
        for user in [device.user, peers.other] {
            let devices = try await common.gateway.devicesWithKeys(of: user, asked: device)
            Terminal.report("\(user): \(devices.map(\.text).joined(separator: ", "))")
        }
        if !shown.isAccepted {
            Terminal.report(
                "these keys of \(peers.other) were not accepted; \(peers.other.acceptInstructions(for: device))")
        }
        if qr { Terminal.draw(shown.number.code) }
        common.output.print(
            value: qr ? shown.number.code : shown.number.description, named: qr ? "code" : "safety_number")
    }
}

struct AcceptKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept-key", abstract: "Accepts the changed keys of a user.",
        discussion: """
            A user who has lost all devices has other keys. So has whoever pretends to be them: until the keys are \
            accepted nothing is sent to that user. NUMBER is the safety number that both have compared: all digits, or so \
            many of the first groups as show the other's keys; or the code of the other's screen. What it was made of is \
            accepted and nothing else. That there is nothing to accept is no error.

            Example:
              parley accept-key --as alice/phone --with bob 12345 67890 12345
            """)

    @OptionGroup var peers: PeerOptions
    @Argument(help: ArgumentHelp("What was compared.", valueName: "NUMBER")) var number: [String]
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let accepted = try await common.signedIn(as: peers) { client in
            try await client.keys.accept(of: peers.other, matching: number.joined(separator: " "))
        }
        if accepted {
            common.output.print(done: "accepted the keys of \(peers.other)")
        } else {
            Terminal.report("no key of \(peers.other) waits to be accepted")
        }
    }
}

extension LocalGateway {
    /// The devices of a user that have published keys.
    fileprivate func devicesWithKeys(of user: UserID, asked device: DeviceAddress) async throws -> [DeviceID] {
        let reply = try await request(GetKeys.operation, payload: GetKeys(user: user).payload(), as: device)
        let devices = try? reply.data?.objects("devices", maximum: .max)
        return (devices ?? []).compactMap { try? $0.level("device_id", as: DeviceID.self) }.sorted()
    }
}
