import Foundation
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

    private static let credentials = DeviceCredentials(
        of: DeviceAddress(user: "alice", device: "phone"), password: "secret", expiresAt: Timestamp(milliseconds: 0))

    private func connect(_ port: Int, _ path: String = "/mqtt") throws(ConnectionError) -> any TransportConnection {
        guard let signal = try? LoopSignal() else { throw .lost }
        return try WebSocketTransport().connect(
            SignIn(
                gateway: .webSocket(url: "ws://127.0.0.1:\(port)\(path)", caFile: nil), clientID: "alice:phone",
                credentials: WebSocketConnectionTests.credentials, timeout: WebSocketConnectionTests.patience),
            signal: signal)
    }

    /// A door that accepts the sign-in, and then says nothing before so many bytes have come: it acknowledges packet 1.
    private static func serve(_ stream: ServerStream, untilBytes length: Int) {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let bytes = stream.read() else { return }
            head += bytes
        }
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let key = lines.first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
        let answer = [
            "HTTP/1.1 101 X", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Protocol: mqtt",
            "Sec-WebSocket-Accept: \(WebSocketHandshake.accept(String(key)) ?? "")", "", "",
        ]
        stream.write(Array(answer.joined(separator: "\r\n").utf8) + [0x82, 5, 0x20, 3, 0, 0, 0])
        var count = 0
        while count < length, let bytes = stream.read() { count += bytes.count }
        stream.write([0x82, 4, 0x40, 2, 0, 1])
        while stream.read() != nil {}
    }

    @Test("a packet longer than a frame goes out whole while the door says nothing")
    func longPacket() throws {
        let length = 300_000
        let server = try Listener { descriptor in
            if let stream = ServerStream(descriptor, nil) { WebSocketConnectionTests.serve(stream, untilBytes: length) }
        }
        let connection = try connect(server.port)
        let message = OutgoingMessage(topic: "t", payload: [UInt8](repeating: 1, count: length), reply: nil)
        let number = try connection.publish(message)
        let end = ContinuousClock.now + WebSocketConnectionTests.patience
        var events: [TransportEvent] = []
        while events.isEmpty, ContinuousClock.now < end { events = try connection.exchange(until: end) }
        #expect(events == [.published(number, .accepted)])
        connection.close()
        server.close()
    }

    @Test("a server of something else, and one that closes, are said to be that")
    func others() throws {
        let server = try HTTPDouble { request in
            request.path == "/mqtt" ? .answer(404) : .bytes("HTTP/1.1 101 Switching Protocols\r\n\r\n")
        }
        for (path, reason) in [("/mqtt", "HTTP 404"), ("/else", "takes no MQTT")] {
            let error = #expect(throws: ConnectionError.self) {
                _ = try connect(server.port, path)
            }
            #expect(error?.isFinal == true && "\(error ?? .lost)".contains(reason))
        }
        #expect(server.received.first?["sec-websocket-protocol"] == "mqtt")
        server.close()
    }
}
