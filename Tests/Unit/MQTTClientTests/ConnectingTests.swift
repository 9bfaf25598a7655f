import Foundation
import Glibc
import MQTTClient
import TestSupport
import Testing

@Suite("Connecting to a broker", .ownThreads)
struct ConnectingTests {
    private func outcome(_ configuration: MQTTConfiguration, timeout: Duration = .seconds(10)) -> MQTTError? {
        do throws(MQTTError) {
            try MQTTConnection(configuration).connect(timeout: timeout)
            return nil
        } catch {
            return error
        }
    }

    @Test("both versions connect, and MQTT 5 says the broker's limits")
    func versions() throws {
        let broker = try TestBroker { _ in "max_packet_size 5000" }
        let five = try broker.connect("five")
        #expect(five.session?.isPresent == false)
        #expect(five.session?.receiveMaximum == 1000)
        #expect(five.session?.maximumPacketSize == 5000)
        #expect(five.sendQuota == 100)
        let three = try broker.connect("three") { $0.version = .v311 }
        #expect(three.session?.receiveMaximum == nil)
        #expect(three.sendQuota == 100)
    }

    @Test("a durable session is found again, with the expiry that was asked for", arguments: [MQTTVersion.v5, .v311])
    func durable(version: MQTTVersion) throws {
        let broker = try TestBroker()
        for expected in [false, true] {
            let connection = try broker.connect("durable") {
                $0.version = version
                $0.cleanStart = false
                $0.sessionExpiry = .seconds(60)
            }
            #expect(connection.session?.isPresent == expected)
            connection.disconnect()
        }
    }

    @Test("a refusal of the credentials is told from any other", arguments: [MQTTVersion.v5, .v311])
    func refused(version: MQTTVersion) throws {
        let broker = try TestBroker(allowAnonymous: false)
        let refusal = try #require(outcome(broker.configuration("x") { $0.version = version }))
        #expect(refusal == .refused(.notAuthorized))
        #expect(refusal.isAuthorizationFailure)
        #expect(!MQTTError.closedWithoutVerdict.isAuthorizationFailure)
        #expect(!MQTTError.refused(.serverUnavailable).isAuthorizationFailure)
    }

    @Test("a socket that is not there, and a port where nobody listens, are unreachable")
    func unreachable() {
        let missing = MQTTConfiguration(endpoint: .unixSocket(path: "/tmp/no-such.sock"), clientID: "x")
        #expect(outcome(missing) == .unreachable(errno: ENOENT))
        // Port 1 (tcpmux) is listened on by nobody.
        let closed = MQTTConfiguration(endpoint: .tcp(host: "127.0.0.1", port: 1), clientID: "x")
        #expect(outcome(closed) == .unreachable(errno: ECONNREFUSED))
        for host in ["127.0.0.1", "localhost"] {
            let sealed = MQTTConfiguration(endpoint: .tls(host: host, port: 1, caFile: nil), clientID: "x")
            #expect(outcome(sealed) == .unreachable(errno: ECONNREFUSED))
        }
        let unnamed = MQTTConfiguration(endpoint: .tcp(host: "no-such-host.invalid", port: 1), clientID: "x")
        if case .nameNotResolved = outcome(unnamed) {} else { Issue.record("a name that does not exist was resolved") }
    }

    @Test("closing without an answer is no verdict")
    func closed() throws {
        let peer = try ScriptedPeer()
        peer.answer([])
        #expect(outcome(peer.configuration) == .closedWithoutVerdict)
    }

    @Test("an answer in TLS to plain MQTT is named", arguments: [MQTTVersion.v5, .v311])
    func answerInTLS(version: MQTTVersion) throws {
        let peer = try ScriptedPeer()
        // A fatal alert, protocol_version (RFC 8446 §6).
        peer.answer([0x15, 3, 1, 0, 2, 2, 70])
        var configuration = peer.configuration
        configuration.version = version
        #expect(outcome(configuration) == .answeredInTLS)
    }

    @Test("a peer that says nothing is given up after the timeout")
    func silent() throws {
        let peer = try ScriptedPeer()
        #expect(outcome(peer.configuration, timeout: .milliseconds(50)) == .timedOut)
    }

    @Test("a refusal code that MQTT 5 does not know is a refusal")
    func unknownCode() throws {
        let peer = try ScriptedPeer()
        peer.answer([0x20, 3, 0, 0xF0, 0])
        #expect(outcome(peer.configuration) == .refused(ReasonCode(rawValue: 0xF0)))
    }

    /// A configuration that is right but for `change`.
    private static func changed(_ change: (inout MQTTConfiguration) -> Void) -> MQTTConfiguration {
        var configuration = MQTTConfiguration(endpoint: .unixSocket(path: "/tmp/no-such.sock"), clientID: "x")
        change(&configuration)
        return configuration
    }

    @Test(
        "what cannot stand in a CONNECT packet is refused before anything is sent",
        arguments: [
            (ConfigurationFault.clientID, changed { $0.clientID = "a\0b" }),
            (.clientID, changed { ($0.clientID, $0.cleanStart) = ("", false) }),
            (.credentials, changed { $0.username = "a\0" }),
            (.credentials, changed { $0.password = Secret("a\0") }),
            (.credentials, changed { ($0.version, $0.password) = (.v311, Secret("a")) }),
            (.socketPath, changed { $0.endpoint = .unixSocket(path: String(repeating: "x", count: 108)) }),
            (.socketPath, changed { $0.endpoint = .unixSocket(path: "") }),
            (.host, changed { $0.endpoint = .tcp(host: "a\0", port: 1) }),
            (.host, changed { $0.endpoint = .tcp(host: "a", port: 0) }),
            (.caFile, changed { $0.endpoint = .tls(host: "a", port: 1, caFile: "/tmp/no-such.pem") }),
            (.keepAlive, changed { $0.keepAlive = .seconds(4) }),
            (.keepAlive, changed { $0.keepAlive = .seconds(65_536) }),
            (.receiveMaximum, changed { $0.receiveMaximum = 0 }),
            (.sendMaximum, changed { $0.sendMaximum = 0 }),
            (.will, changed { $0.will = Will(topic: "a/#", payload: []) }),
            (.will, changed { $0.will = Will(topic: "a", payload: Array(repeating: 0, count: 65_536)) }),
        ])
    func invalid(fault: ConfigurationFault, configuration: MQTTConfiguration) {
        #expect(outcome(configuration) == .invalidConfiguration(fault))
    }

    @Test("a password is not printed with its configuration")
    func secret() {
        var configuration = MQTTConfiguration(endpoint: .unixSocket(path: "/x"), clientID: "x")
        configuration.password = Secret("hunter2")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("hunter2"))
        }
        #expect("\(Secret("hunter2"))" == "<redacted>")
    }
}
