import Foundation
import HTTPDoubles
import Launch
import MQTTWire
import TestSupport
import Testing

/// What a person is told who signs in to a broker with TLS that is not as it should be.
@Suite("parley login: certificates and addresses that do not fit", .ownThreads)
struct CertificateTests {
    private let gateway: TestGateway
    private let person: ParleyTool
    private let place = TemporaryDirectory.unmade()
    private let token: String
    /// With a certificate for `localhost`, and with the same that has expired.
    private let (good, expired): (UInt16, UInt16)

    init() throws {
        gateway = try TestGateway(start: false)
        person = try ParleyTool(data: place.path)
        (good, expired) = (try freePort(), try freePort())
        try gateway.write(Array(TestKeys.certificate.utf8), to: "good.pem")
        try gateway.write(Array(TestKeys.expiredCertificate.utf8), to: "expired.pem")
        try gateway.write(Array(TestKeys.certificateKey.utf8), to: "certificate-key.pem")
        let file = gateway.directory + "/mosquitto.conf"
        let directory = gateway.directory
        let listeners = [(good, "good"), (expired, "expired")].map { port, name in
            """

            listener \(port) 127.0.0.1
            certfile \(directory)/\(name).pem
            keyfile \(directory)/certificate-key.pem

            """
        }
        let before = try String(contentsOfFile: file, encoding: .utf8)
        try (before + listeners.joined()).write(toFile: file, atomically: true, encoding: .utf8)
        try gateway.startBroker()
        try gateway.startParleyd()
        let manager = try ParleyTool(on: gateway)
        defer { manager.removeScratch() }
        try #require(try manager.run("user", "add", "alice").status == 0)
        try #require(try manager.run("device", "add", "alice", "phone").status == 0)
        token = gateway.directory + "/devices/alice/phone/credentials.json"
    }

    private func login(_ address: String, trusting authority: String) throws -> ParleyTool.Outcome {
        try person.run("login", address, "--token-file", token, "--ca", "\(gateway.directory)/\(authority).pem")
    }

    @Test("each fault of a certificate is a sentence with the next step, and nothing is kept")
    func faults() throws {
        for (address, authority, sentence) in [
            ("mqtts://localhost:\(expired)", "expired", "has expired; whoever runs the gateway has to renew it"),
            ("mqtts://127.0.0.1:\(good)", "good", "is for another name; sign in by the name that it is for"),
            ("mqtts://localhost:\(good)", "expired", "is signed by nobody whom this machine trusts"),
            ("mqtts://localhost:\(gateway.mqttPort)", "good", "speaks no TLS; its port for TLS is another"),
        ] {
            let refused = try login(address, trusting: authority)
            #expect(refused.status == 3 && refused.output.isEmpty, "\(address): \(refused)")
            #expect(refused.errors.contains("\(address) \(sentence)"), "\(address): \(refused.errors)")
            #expect(refused.errors.split(separator: "\n").count == 1, "\(address): \(refused.errors)")
            #expect(person.hasNoCredentials(of: "alice/phone"), "\(address)")
        }
        let plain = try person.run("login", "mqtt://localhost:\(good)", "--token-file", token)
        #expect(
            plain.status == 3 && plain.errors.contains("sign in with mqtts:// in place of mqtt://"), "\(plain.errors)")
        let accepted = try login("mqtts://localhost:\(good)", trusting: "good")
        #expect(accepted.status == 0 && accepted.output == "signed in as alice/phone\n", "\(accepted.errors)")
    }
}
