import HTTPDoubles
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import HTTPClient
@testable import ParleyClient
@testable import ParleyCurl

@Suite("Where a WebSocket cannot be had", .ownThreads)
struct WebSocketConnectionTests {
    private static let patience: Duration = .seconds(60)

    private func failure(_ url: String, trusting caFile: String? = nil) -> ByteStreamFailure? {
        do throws(ByteStreamFailure) {
            _ = try ByteStream.open(url, trusting: caFile, timeout: WebSocketConnectionTests.patience)
            return nil
        } catch {
            return error
        }
    }

    @Test("a certificate is judged by its signer, its name and its time, and each fault has its own name")
    func certificates() throws {
        let files = try TemporaryDirectory()
        try files.write(TestKeys.certificate, to: "ca.pem")
        try files.write(TestKeys.expiredCertificate, to: "expired.pem")
        try files.write("no certificate", to: "empty.pem")
        let (ca, expired) = (files.path + "/ca.pem", files.path + "/expired.pem")
        let good = try HTTPDouble(isTLS: true) { _ in .silence }
        #expect(failure("https://localhost:\(good.port)", trusting: ca) == nil)
        #expect(failure("https://localhost:\(good.port)") == .certificate(.untrusted))
        #expect(failure("https://127.0.0.1:\(good.port)", trusting: ca) == .certificate(.otherName))
        #expect(failure("https://localhost:\(good.port)", trusting: files.path + "/empty.pem") == .unusableAuthority)
        #expect(failure("https://localhost:\(good.port)", trusting: files.path + "/missing.pem") == .unusableAuthority)
        let old = try HTTPDouble(isTLS: true, certificate: TestKeys.expiredCertificate) { _ in .silence }
        #expect(failure("https://localhost:\(old.port)", trusting: expired) == .certificate(.expired))
        #expect(failure("http://name.invalid:80") == .nameNotResolved)
        good.close()
        old.close()
    }

    @Test("a server of something else, and one that closes, are said to be that")
    func others() throws {
        let server = try HTTPDouble { request in
            request.path == "/mqtt" ? .answer(404) : .bytes("HTTP/1.1 101 Switching Protocols\r\n\r\n")
        }
        let credentials = DeviceCredentials(
            of: DeviceAddress(user: "alice", device: "phone"), password: "secret", expiresAt: Timestamp(milliseconds: 0)
        )
        for (path, reason) in [("/mqtt", "HTTP 404"), ("/else", "takes no MQTT")] {
            let error = #expect(throws: ConnectionError.self) {
                _ = try WebSocketTransport().connect(
                    SignIn(
                        gateway: .webSocket(url: "ws://127.0.0.1:\(server.port)\(path)", caFile: nil),
                        clientID: "alice:phone",
                        credentials: credentials, timeout: WebSocketConnectionTests.patience), signal: LoopSignal())
            }
            #expect(error?.isFinal == true && "\(error ?? .lost)".contains(reason))
        }
        #expect(server.received.first?["sec-websocket-protocol"] == "mqtt")
        server.close()
    }
}
