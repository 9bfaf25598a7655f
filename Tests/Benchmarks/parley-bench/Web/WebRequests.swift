import GatewaySite
import ParleyProtocol

/// `POST /api/v1/messages` as finished bytes, in which only the id changes.
struct PostTemplate {
    private(set) var bytes: [UInt8]
    let idAt: Int

    init(_ seat: Population.Seat, _ conversation: ConversationID) {
        let id = MessageID(MessageNumber(sender: 0, run: 0, count: 0).id(milliseconds: 0))
        let body =
            #"{"id":"\#(id)","conversation_id":"\#(conversation)","message_type":"text","suite":"nacl-box","encrypted_content":""#
            + Base64Text.random(bytes: RequestTemplate.ciphertextBytes)
            + #"","nonce":"\#(Base64Text.random(bytes: 24))"}"#
        let head = WebRequests.head("POST", "/api/v1/messages", seat, "Content-Length: \(body.utf8.count)\r\n")
        bytes = head + body.utf8
        idAt = head.count + 7
    }

    /// Makes the bytes those of the next message.
    mutating func prepare(_ number: MessageNumber, milliseconds: Int64) {
        MessageNumber.write(milliseconds: milliseconds, over: &bytes, at: idAt)
        number.write(over: &bytes, at: idAt)
    }
}

/// The requests of an app, as bytes.
enum WebRequests {
    /// Records of a measured page.
    static let pageItems = 50

    static func page(
        _ seat: Population.Seat, _ conversation: ConversationID, limit: Int = pageItems, before: MessageID? = nil
    ) -> [UInt8] {
        let cursor = before.map { "&before=\($0)" } ?? ""
        return head("GET", "/api/v1/conversations/\(conversation)/messages?limit=\(limit)\(cursor)", seat)
    }

    static func socket(_ seat: Population.Seat) -> [UInt8] {
        head(
            "GET", "/ws", seat,
            """
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r

            """)
    }

    /// - Parameter fields: further lines, each with its end.
    static func head(_ method: String, _ target: String, _ seat: Population.Seat, _ fields: String = "") -> [UInt8] {
        Array(
            """
            \(method) \(target) HTTP/1.1\r
            Host: localhost\r
            Authorization: Bearer \(seat.token)\r
            Content-Type: application/json\r
            \(fields)\r

            """.utf8)
    }
}
