import OpenSSL
import ParleyClient
import ParleyProtocol

/// The opening handshake of a WebSocket's client (RFC 6455 §4.1).
struct WebSocketHandshake {
    private let key: String
    private let host: String
    private let path: String

    /// What MQTT over WebSocket asks for (MQTT 5 §6).
    private static let subprotocol = "mqtt"
    /// RFC 6455 §1.3
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    /// Of the answer, in bytes.
    static let longestAnswer = 16_384

    /// - Parameters:
    ///   - host: with its port, as it stands in the URL.
    ///   - nonce: 16 random bytes.
    init(host: String, path: String, nonce: [UInt8]) {
        (self.host, self.path) = (host, path)
        key = Base64.encode(nonce)
    }

    var request: [UInt8] {
        let lines = [
            "GET \(path) HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Protocol: \(WebSocketHandshake.subprotocol)", "", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    /// Where the answer to it ends; `nil` while it is not all there.
    func end(of answer: [UInt8]) throws(ConnectionError) -> Int? {
        do throws(WebSocketError) {
            return try accept(answer)
        } catch {
            switch error {
            // A door whose gateway is away for a moment (RFC 9110 §15.6).
            case .refused(status: 502...504): throw .notReady
            case .refused(status: 429): throw .notReady
            case .refused, .notSpoken, .closed, .malformed: throw .other(error)
            }
        }
    }

    private func accept(_ bytes: [UInt8]) throws(WebSocketError) -> Int? {
        guard let end = WebSocketHandshake.endOfHead(bytes) else {
            guard bytes.count <= WebSocketHandshake.longestAnswer else { throw .notSpoken }
            return nil
        }
        guard let head = String(validating: bytes[..<end], as: UTF8.self) else { throw .notSpoken }
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
        let status = lines.first?.split(separator: " ") ?? []
        guard status.count >= 2, status[0] == "HTTP/1.1", let code = Int(status[1]) else { throw .notSpoken }
        guard code == 101 else { throw .refused(status: code) }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw .notSpoken }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].filter { $0 != " " && $0 != "\t" }
        }
        guard fields["upgrade"]?.lowercased() == "websocket",
            fields["connection"]?.lowercased().split(separator: ",").contains("upgrade") == true,
            fields["sec-websocket-accept"] == expectedAccept,
            fields["sec-websocket-protocol"] == WebSocketHandshake.subprotocol,
            fields["sec-websocket-extensions"] == nil
        else { throw .notSpoken }
        return end
    }

    /// RFC 6455 §4.2.2
    private var expectedAccept: String? { WebSocketHandshake.accept(key) }

    static func accept(_ key: String) -> String? {
        let text = Array((key + WebSocketHandshake.suffix).utf8)
        return (try? SHA1.digest(of: text.span)).map { Base64.encode($0) }
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        let end = Array("\r\n\r\n".utf8)
        guard bytes.count >= end.count else { return nil }
        for start in 0...(bytes.count - end.count) where bytes[start..<(start + end.count)].elementsEqual(end) {
            return start + end.count
        }
        return nil
    }
}

/// Why a WebSocket is none.
enum WebSocketError: Error, Hashable, CustomStringConvertible {
    /// What answers is no WebSocket of MQTT.
    case notSpoken
    /// HTTP, in place of 101.
    case refused(status: Int)
    /// The other side has closed (RFC 6455 §5.5.1).
    case closed
    /// A frame that no server may send (RFC 6455 §5), or one longer than any of a gateway's.
    case malformed

    var description: String {
        switch self {
        case .notSpoken: "what answers there takes no MQTT over WebSocket"
        case .refused(let status): "the web door answers with HTTP \(status) where MQTT over WebSocket was asked for"
        case .closed: "the web door has closed the connection"
        case .malformed: "what answers there sends no frames of a WebSocket"
        }
    }
}
