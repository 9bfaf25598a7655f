import Foundation
import Glibc
import Launch
import MQTTClient
import MQTTWire
import Platform
import TestSupport
import Testing

/// TCP and TLS, on a port of the loopback that was free a moment ago.
@Suite("Connecting over TCP", .ownThreads)
struct NetworkTests {
    static let openssl = "/usr/bin/openssl"

    /// A self-signed certificate for `localhost` and its key.
    private static func makeCertificate(in directory: URL) throws {
        try ChildProcess(
            openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                "-keyout", directory.appending(path: "key.pem").path,
                "-out", directory.appending(path: "certificate.pem").path,
            ]
        ).waitUntilEnded()
    }

    @Test("over TCP", arguments: ["127.0.0.1", "localhost"])
    func plain(host: String) throws {
        let port = try freePort()
        let broker = try TestBroker { _ in "listener \(port) 127.0.0.1" }
        let connection = try broker.connect("x") { $0.endpoint = .tcp(host: host, port: port) }
        #expect(try connection.published(topic: "a", payload: "") == .noMatchingSubscribers)
    }

    @Test("over TLS, many messages in few records", .enabled(if: FileManager.default.isExecutableFile(atPath: openssl)))
    func encrypted() throws {
        let port = try freePort()
        let broker = try TestBroker { directory in
            try NetworkTests.makeCertificate(in: directory)
            return """
                listener \(port) 127.0.0.1
                certfile \(directory.path)/certificate.pem
                keyfile \(directory.path)/key.pem
                """
        }
        let certificate = broker.directory.appending(path: "certificate.pem").path
        let receiver = try broker.connect("receiver") {
            $0.endpoint = .tls(host: "localhost", port: port, caFile: certificate)
        }
        try receiver.subscribed(to: "a")
        try broker.connect("sender").publishNumbers(100)
        #expect(try receiver.payloads(100, limit: 7) == (0..<100).map(String.init))

        // Nobody vouches for it, and it is for another name.
        for endpoint in [
            MQTTEndpoint.tls(host: "localhost", port: port, caFile: nil),
            .tls(host: "127.0.0.1", port: port, caFile: certificate),
        ] {
            #expect(throws: MQTTError.tls) { try broker.connect("x") { $0.endpoint = endpoint } }
        }
        #expect(TLSRecord.isSpoken(host: "localhost", port: port, timeout: .seconds(60)))

        // A TLS client and a peer that speaks plainly.
        let peer = try freePort()
        let plain = try TestBroker { _ in "listener \(peer) 127.0.0.1" }
        #expect(!TLSRecord.isSpoken(host: "localhost", port: peer, timeout: .seconds(60)))
        #expect(!TLSRecord.isSpoken(host: "127.0.0.1", port: 1, timeout: .seconds(60)))
        #expect(throws: MQTTError.self) {
            try plain.connect("x") { $0.endpoint = .tls(host: "localhost", port: peer, caFile: certificate) }
        }
    }
}
