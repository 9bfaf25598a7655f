import Foundation
import Glibc
import Launch
import TestSupport
import Testing

/// People who get a token from an operator, and sign in from elsewhere.
@Suite("parley login by a token, and the device that acts where none is named", .ownThreads)
struct TokenSignInTests {
    private let gateway: TestGateway
    private let door: TestDoor
    private let manager: ParleyTool
    private let place = TemporaryDirectory.unmade()
    private let files: TemporaryDirectory
    private let person: ParleyTool

    private var socket: String { "ws://127.0.0.1:\(door.port)/mqtt" }
    private var broker: String { "mqtt://127.0.0.1:\(gateway.mqttPort)" }

    init() throws {
        gateway = try TestGateway(settings: TestGateway.roomy)
        door = try TestDoor(gateway)
        manager = try ParleyTool(on: gateway)
        person = try ParleyTool(data: place.path)
        files = try TemporaryDirectory()
        for user in ["alice", "bob"] {
            try #require(try manager.run("user", "add", user, "--message-privacy", "anyone").status == 0)
            try #require(try manager.run("device", "add", user, "phone").status == 0)
        }
        try #require(try manager.run("devices", "--as", "bob/phone").status == 0)
    }

    /// What the gateway keeps of a device's sign-in, as an operator hands it over.
    private func handOver(_ device: String) throws -> String {
        let text = try Data(contentsOf: URL(filePath: "\(gateway.directory)/devices/\(device)/credentials.json"))
        let name = device.replacing("/", with: "-")
        try files.write(String(decoding: text, as: UTF8.self), to: name)
        try files.setPermissions(0o600, of: name)
        return "\(files.path)/\(name)"
    }

    @Test("over a WebSocket of the web door a device signs in, writes and listens as over MQTT")
    func webSocket() throws {
        let login = try person.run("login", socket, "--token-file", handOver("alice/phone"))
        #expect(login.status == 0 && login.lines == ["signed in as alice/phone"], "\(login.errors)")
        let sent = try person.run("send", "--to", "bob", "by way of the door")
        #expect(sent.status == 0, "\(sent.errors)")
        let known = try person.read("whoami")
        #expect(
            known.lines.contains("broker: \(socket)") && known.lines.contains("web door: http://127.0.0.1:\(door.port)")
        )
        let listening = try person.start(["--text", "listen"])
        defer { listening.child.end(with: SIGKILL) }
        try eventually("a listener") { listening.errors.contains("listening as alice/phone") ? () : nil }
        let answer = try manager.run("send", "--as", "bob/phone", "--to", "alice", "by way of the broker")
        #expect(answer.status == 0, "\(answer.errors)")
        try eventually("the answer") { listening.output.contains("by way of the broker") ? () : nil }
        door.end()
        let unreached = try person.run("send", "--to", "bob", "nobody is there")
        #expect(
            unreached.status == 3 && unreached.errors.contains("nobody answers at \(socket)"), "\(unreached.errors)")
    }

    @Test("of several devices the first acts where none is named, until another is chosen")
    func several() throws {
        #expect(try person.run("login", broker, "--token-file", handOver("alice/phone")).status == 0)
        let send = ["send", "--as", "alice/phone", "--to", "bob", "--file", "\(files.path)/alice-phone"]
        let without = try person.run(send)
        #expect(without.status == 3 && without.errors.contains("--door https://HOST"), "\(without.errors)")
        let door = String(socket.replacing("ws:", with: "http:").dropLast("/mqtt".count))
        #expect(try person.run("login", broker, "--door", door, "--token-file", handOver("alice/phone")).status == 0)
        let with = try person.run(send)
        #expect(with.errors.hasPrefix("parley: 0 % of "), "\(with.errors)")
        let second = try person.run("login", socket, "--token-file", handOver("bob/phone"))
        #expect(second.status == 0 && second.errors.contains("parley use bob/phone"), "\(second.errors)")
        #expect(try person.read("whoami", "--offline").lines.first == "device: alice/phone")
        let used = try person.run("use", "bob/phone")
        #expect(used.status == 0, "\(used.errors)")
        #expect(try person.read("whoami", "--offline").lines.first == "device: bob/phone")
        let all = try person.read("whoami", "--all")
        #expect(all.lines.count == 3 && all.output.contains("* ") && all.output.contains(broker), "\(all.output)")
        #expect(try person.run("use", "carol/phone").errors.contains("not signed in"))
        #expect(try person.run("logout").output == "signed out bob/phone\n")
        #expect(try person.read("whoami", "--offline").lines.first == "device: alice/phone")
    }

    @Test("a token that is not taken, and a port that speaks something else, leave nothing and say what to do")
    func refused() throws {
        let file = try handOver("alice/phone")
        try #require(try manager.run("device", "revoke", "alice", "phone").status == 0)
        for url in [broker, socket] {
            let ended = try person.run("login", url, "--token-file", file)
            #expect(ended.status == 3 && ended.errors.contains("does not accept the credentials"), "\(ended.errors)")
        }
        let good = try handOver("bob/phone")
        let plain = try person.run("login", broker.replacing("mqtt:", with: "mqtts:"), "--token-file", good)
        #expect(plain.status == 3 && plain.errors.contains("speaks no TLS"), "\(plain.errors)")
        let other = try person.run("login", socket + "/else", "--token-file", good)
        #expect(other.status == 3 && other.errors.contains("HTTP"), "\(other.errors)")
        #expect(try person.run("login", broker, "--token-file", good, "--device", "tablet").status == 2)
        #expect(try person.run("login", broker, input: "no token\n").status == 2)
        #expect(try person.run("login", "https://localhost", "--token-file", good).status == 2)
        #expect(try person.run("login", broker, "--email", "a@example.org").status == 2)
        #expect(person.hasNoCredentials(of: "alice/phone") && person.hasNoCredentials(of: "bob/phone"))
        let token = String(decoding: try files.bytes("bob-phone"), as: UTF8.self)
        #expect(try person.run("login", broker, input: token).status == 0)
    }
}
