import Foundation
import HTTPDoubles
import Launch
import MQTTWire
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

/// The app in `docs/example`, run as a person at a shell runs it.
@Suite("The example app, by TLS to a broker elsewhere", .ownThreads, .timeLimit(.minutes(20)))
struct RemoteExampleTests {
    private let gateway: TestGateway
    private let port: UInt16
    private var certificate: String { gateway.directory + "/certificate.pem" }

    init() throws {
        gateway = try TestGateway(start: false)
        port = try freePort()
        try gateway.write(Array(TestKeys.certificate.utf8), to: "certificate.pem")
        try gateway.write(Array(TestKeys.certificateKey.utf8), to: "certificate-key.pem")
        let file = gateway.directory + "/mosquitto.conf"
        let listener = """

            listener \(port) 127.0.0.1
            certfile \(certificate)
            keyfile \(gateway.directory)/certificate-key.pem

            """
        let before = try String(contentsOfFile: file, encoding: .utf8)
        try (before + listener).write(toFile: file, atomically: true, encoding: .utf8)
        try gateway.startBroker()
        try gateway.startParleyd()
    }

    /// Runs the app to its end, with these lines as its input.
    private func run(
        _ device: ChatDevice, _ peer: UserID, _ input: String, trusting authority: String
    ) throws -> (status: Int32, output: String, errors: String) {
        let files = "\(gateway.directory)/app-\(gateway.uniqueName(""))"
        try input.write(toFile: files + ".in", atomically: true, encoding: .utf8)
        let root = device.configuration.directory.path.components(separatedBy: "/devices/")[0]
        let child = try ChildProcess(
            "/bin/bash",
            [
                "-c", "exec <\(files).in; exec \"$0\" \"$@\"", try Programs.path("parley-example"), root,
                device.address.description, "localhost", "\(port)", peer.text, authority,
            ], directory: gateway.directory, output: files + ".out", errors: files + ".err")
        let status = child.waitUntilEnded()
        return (
            status, try String(contentsOfFile: files + ".out", encoding: .utf8),
            try String(contentsOfFile: files + ".err", encoding: .utf8)
        )
    }

    @Test("it sends what is written and shows the conversation, and the other's client opens it")
    func example() async throws {
        let (one, other) = (try gateway.chatter(), try gateway.chatter())
        try await befriend(one, other)
        try await other.chat { bob in
            var events = ClientEvents(bob)
            let first = try run(one, other.user, "Hello\n\nfrom afar\n", trusting: certificate)
            #expect(first.status == 0 && first.output.contains("sent, number 2"), "\(first)")
            for text in ["Hello", "from afar"] { #expect(try await events.message().text == text) }
            let chat = try await bob.conversation(with: one.user).id
            _ = try await bob.outcome(of: try await bob.send(.text("Welcome"), to: chat))
            let second = try run(one, other.user, "Thanks\n", trusting: certificate)
            #expect(second.status == 0 && second.output.contains("sent, number 4"), "\(second)")
            #expect(try await events.message(from: one.user).text == "Thanks")
        }
    }

    @Test("without arguments it says its usage, and to a broker that it cannot trust it sends nothing")
    func refused() async throws {
        let (one, other) = (try gateway.chatter(), try gateway.chatter())
        #expect(try run(one, other.user, "", trusting: "/etc/ssl/certs/ca-certificates.crt").status != 0)
        let usage = try ServiceFiles("usage", in: gateway.directory).run(Programs.path("parley-example"), [])
        #expect(usage.status == 2 && usage.errors.hasPrefix("usage: "))
    }
}
