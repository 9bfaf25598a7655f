import ArgumentParser
import Foundation
import LyingGateway
import ParleyClient
import ParleyProtocol

@main
struct ParleyLiar: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley-liar",
        abstract: "Be a gateway in the hands of an attacker, for the real parley.",
        discussion: """
            It listens on the loopback interface and writes DIR/endpoint.json and the credentials of alice/phone, so that \
            parley works with --data DIR --as alice/phone. It plays bob, who has an account key, carol, who has none, and \
            the attacker, mallory. For each message that mallory can read it prints a line that begins with READ.

            It reads commands from standard input, one a line, answers each with a line, and ends with the input:
              LIE [UID]     tell a lie about somebody, bob if nobody is named
              honest [UID]  tell the truth again
              reset [UID]   the person honestly begins anew, with a new account key and phone
              drop          break every connection

            LIE is one of:
            \(Lie.allCases.map { "  \($0.name): \($0.sentence)" }.joined(separator: "\n"))

            Example:
              parley-liar --data /tmp/liar --lie thirdOnCreate
            """)

    @Option(help: ArgumentHelp("Where parley finds the gateway; made if it is not there.", valueName: "DIR"))
    var data: String

    @Option(help: ArgumentHelp("What it lies about bob from the beginning; may be given again.", valueName: "LIE"))
    var lie: [String] = []

    @Option(help: "Where it listens; without, on a port that is free.")
    var port: UInt16 = 0

    private static let alice = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))
    private static let bob = UserID(validated: "bob")
    private static let carol = UserID(validated: "carol")

    func validate() throws {
        for name in lie where Lie(name: name) == nil { throw ValidationError("--lie \(name): there is no such lie") }
    }

    func run() throws {
        let gateway = try LyingGateway(port: port) { reading in
            ParleyLiar.say("READ as \(reading.device) \(reading.message): \(reading.text)")
        }
        gateway.register(ParleyLiar.alice.user)
        try gateway.add(ParleyLiar.bob, hasAccount: true)
        try gateway.add(ParleyLiar.carol, hasAccount: false)
        let group = gateway.makeGroup(of: [ParleyLiar.alice.user, ParleyLiar.bob, ParleyLiar.carol])
        try writeFiles(port: gateway.port)
        for lie in lie.compactMap({ Lie(name: $0) }) { try tell(lie, about: ParleyLiar.bob, gateway) }
        ParleyLiar.say("listening on 127.0.0.1:\(gateway.port); alice, bob and carol are in \(group)")
        while let line = readLine() { try obey(line.split(separator: " ").map(String.init), gateway) }
    }

    /// What `parley` reads.
    private func writeFiles(port: UInt16) throws {
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var writer = JSONWriter()
        writer.object {
            $0.member("host", "127.0.0.1")
            $0.member("mqtt_port", Int(port))
        }
        try Data(writer.finish()).write(to: URL(filePath: "\(data)/endpoint.json"))
        // Everybody is let in: the password is none.
        let credentials = DeviceCredentials(
            username: ParleyLiar.alice.user.text, clientID: "\(ParleyLiar.alice.user):\(ParleyLiar.alice.device)",
            password: "none", expiresAt: .latest)
        try DeviceDirectory(of: ParleyLiar.alice, in: data).store(credentials)
    }

    private func obey(_ words: [String], _ gateway: LyingGateway) throws {
        guard let command = words.first else { return }
        let user = words.dropFirst().first.map { UserID($0) } ?? ParleyLiar.bob
        guard let user else { return ParleyLiar.say("no user: \(words[1])") }
        switch command {
        case "honest": gateway.beHonest(about: user)
        case "reset": try gateway.reset(user)
        case "drop": gateway.dropConnections()
        default:
            guard let lie = Lie(name: command) else { return ParleyLiar.say("no lie: \(command)") }
            try tell(lie, about: user, gateway)
        }
        ParleyLiar.say("done: \(words.joined(separator: " "))")
    }

    private func tell(_ lie: Lie, about user: UserID, _ gateway: LyingGateway) throws {
        // What is told as a list or an event is of a conversation that there is.
        if lie.way != .answer { try gateway.acquaint(ParleyLiar.alice.user, with: user) }
        try gateway.tell(lie, about: user, to: ParleyLiar.alice)
    }

    /// Prints a line at once, whoever reads it.
    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}
