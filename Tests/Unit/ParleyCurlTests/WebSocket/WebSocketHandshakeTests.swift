import ParleyClient
import Testing

@testable import ParleyCurl

@Suite("The handshake of a WebSocket")
struct WebSocketHandshakeTests {
    /// The example of RFC 6455 §1.3.
    private let handshake = WebSocketHandshake(
        host: "server.example.com:443", path: "/mqtt", nonce: Array("the sample nonce".utf8))

    private static func answer(
        _ status: String = "101 Switching Protocols", accept: String = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        more: [String] = ["Sec-WebSocket-Protocol: mqtt"]
    ) -> [UInt8] {
        let lines =
            [
                "HTTP/1.1 \(status)", "upgrade: WebSocket", "Connection: keep-alive, Upgrade",
                "Sec-WebSocket-Accept: \(accept)",
            ]
            + more + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    @Test("it asks for MQTT with the key of its nonce")
    func request() {
        let lines = String(decoding: handshake.request, as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.first == "GET /mqtt HTTP/1.1" && lines.suffix(2) == ["", ""])
        for line in [
            "Host: server.example.com:443", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: mqtt",
        ] {
            #expect(lines.contains(Substring(line)))
        }
    }

    @Test("an answer is taken in pieces, and what follows it is not its own")
    func pieces() throws {
        let whole = WebSocketHandshakeTests.answer()
        for count in 0..<whole.count { #expect(try handshake.end(of: Array(whole.prefix(count))) == nil) }
        #expect(try handshake.end(of: whole + [0x82, 0]) == whole.count)
    }

    @Test(
        "what did not shake hands, or speaks something else, is no WebSocket of MQTT",
        arguments: [
            WebSocketHandshakeTests.answer("200 OK"), WebSocketHandshakeTests.answer("401 Unauthorized"),
            WebSocketHandshakeTests.answer(accept: "AAAAAAAAAAAAAAAAAAAAAAAAAAA="),
            WebSocketHandshakeTests.answer(more: []),
            WebSocketHandshakeTests.answer(more: ["Sec-WebSocket-Protocol: chat"]),
            WebSocketHandshakeTests.answer(
                more: ["Sec-WebSocket-Protocol: mqtt", "Sec-WebSocket-Extensions: permessage-deflate"]),
            WebSocketHandshakeTests.answer(more: ["Sec-WebSocket-Protocol: mqtt", "no field"]),
            Array("SSH-2.0-OpenSSH_9.2\r\n\r\n".utf8), Array("\r\n\r\n".utf8), [0xFF, 0xFE] + Array("\r\n\r\n".utf8),
            [UInt8](repeating: 0x41, count: WebSocketHandshake.longestAnswer + 1),
        ])
    func refused(answer: [UInt8]) {
        let error = #expect(throws: ConnectionError.self) { try handshake.end(of: answer) }
        #expect(error?.isFinal == true)
    }

    @Test("a door whose gateway is away is asked again", arguments: ["502 Bad Gateway", "503 Service Unavailable"])
    func away(status: String) {
        let error = #expect(throws: ConnectionError.self) {
            try handshake.end(of: WebSocketHandshakeTests.answer(status))
        }
        #expect(error?.isFinal == false)
    }
}
