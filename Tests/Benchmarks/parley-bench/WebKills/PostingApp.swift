import GatewaySite
import ParleyProtocol

/// An app that posts one message after the other, each until it is answered. Every second one has an id, and the others
/// an Idempotency-Key.
struct PostingApp {
    private let seat: Population.Seat
    private let conversation: ConversationID
    var connection: RestartingConnection
    /// The bytes of the message under way, and its id if it names one.
    private var request: (bytes: [UInt8], id: MessageID?)?
    private var isSent = false
    /// When to post again what was refused for the moment, in nanoseconds.
    private var retryAt: Int64 = 0
    private(set) var answered: [MessageID] = []
    private(set) var repeats = 0
    private(set) var faults: [String] = []
    private var count = 0

    init(_ group: Population.Group, port: UInt16) {
        (seat, conversation) = (group.seats[0], group.id)
        connection = RestartingConnection(port: port)
    }

    var isIdle: Bool { request == nil }

    /// Sends what is to be sent.
    ///
    /// - Parameter goesOn: whether another message follows one that was answered.
    mutating func advance(goesOn: Bool) {
        if connection.open() { isSent = false }
        guard connection.isOpen, !isSent, MonotonicTime.now >= retryAt else { return }
        if request == nil {
            guard goesOn else { return }
            request = next()
        } else {
            repeats += 1
        }
        isSent = true
        if let request { connection.send(request.bytes) }
    }

    private mutating func next() -> (bytes: [UInt8], id: MessageID?) {
        count += 1
        let id = count % 2 == 0 ? MessageID.random() : nil
        let body =
            "{\(id.map { #""id":"\#($0)","# } ?? "")" + #""conversation_id":"\#(conversation)","message_type":"text","#
            + #""suite":"nacl-box","encrypted_content":"\#(Base64Text.random(bytes: 64))","#
            + #""nonce":"\#(Base64Text.random(bytes: 24))"}"#
        let key = id == nil ? "Idempotency-Key: key-\(count)\r\n" : ""
        let head = WebRequests.head(
            "POST", "/api/v1/messages", seat, "\(key)Content-Length: \(body.utf8.count)\r\n")
        return (head + body.utf8, id)
    }

    mutating func read(into input: inout [UInt8]) throws {
        guard let end = connection.read(into: &input) else {
            isSent = false
            return
        }
        guard let response = try HTTPResponse.next(in: input, from: 0, to: end) else {
            return connection.keep(input[0..<end])
        }
        isSent = false
        let body = Array(input[response.body])
        switch response.status {
        case 201: accept(body)
        // Overloaded, or the door or the gateway is not there: again in a moment.
        case 429, 503: retryAt = MonotonicTime.now + 50_000_000
        default: faults.append("\(response.status) \(String(decoding: body.prefix(300), as: UTF8.self))")
        }
    }

    private mutating func accept(_ body: [UInt8]) {
        guard let id: MessageID = try? JSONObject(parsing: body).uuid("id") else {
            return faults.append("a message without id")
        }
        if let asked = request?.id, asked != id { faults.append("\(asked) was answered as \(id)") }
        answered.append(id)
        request = nil
    }
}
