import GatewaySite
import ParleyProtocol

/// An app that keeps the log of a conversation by what a WebSocket says, and resumes by its cursor.
struct ListeningApp {
    private let seat: Population.Seat
    private let conversation: ConversationID
    var connection: RestartingConnection
    private var isUpgraded = false
    private var isResuming = false
    /// Whether the log has a hole that the resume under way may not fill.
    private var hasHole = false
    /// The conversation: the record of seq 1 first.
    private(set) var log: [MessageID] = []
    private var epoch: String?
    private(set) var resumes = 0
    private(set) var faults: [String] = []

    init(_ group: Population.Group, port: UInt16) {
        (seat, conversation) = (group.seats[1], group.id)
        connection = RestartingConnection(port: port)
    }

    mutating func advance() {
        guard connection.open() else { return }
        (isUpgraded, isResuming, hasHole) = (false, false, false)
        connection.send(WebRequests.socket(seat))
    }

    mutating func read(into input: inout [UInt8]) throws {
        guard let end = connection.read(into: &input) else { return }
        var position = 0
        if !isUpgraded {
            guard let response = try HTTPResponse.next(in: input, from: 0, to: end) else {
                return connection.keep(input[0..<end])
            }
            // 503 while the broker does not answer the door.
            guard response.status == 101 else {
                if response.status != 503 { faults.append("/ws was answered \(response.status)") }
                return connection.close()
            }
            isUpgraded = true
            position = response.body.upperBound
        }
        while connection.isOpen, let frame = SocketFrame.next(in: input, from: position, to: end) {
            position = frame.payload.upperBound
            switch frame.kind {
            case .text: try take(Array(input[frame.payload]))
            case .ping: connection.send(SocketFrame.pong)
            case .close: connection.close()
            case .other: break
            }
        }
        if connection.isOpen, position < end { connection.keep(input[position..<end]) }
    }

    private mutating func take(_ event: [UInt8]) throws {
        let object = try JSONObject(parsing: event)
        guard let data = try object.object("data") else { return faults.append("an event without data") }
        switch try object.text("type", maximum: 64) {
        case "connection.established": resume()
        case "resume": try append(SyncReply(members: data))
        case "message.new":
            guard let seq = try data.integer("seq", in: 1...Int.max), let id: MessageID = try data.uuid("id") else {
                return faults.append("a message without seq or id")
            }
            if seq > log.count + 1 {
                hasHole = true
                if !isResuming { resume() }
            } else {
                note(id, seq)
            }
        case "error":
            let code = try data.text("code", maximum: 64) ?? "no code"
            if code != "unavailable" { faults.append("resume was refused: \(code)") }
            connection.close()
        case _: break
        }
    }

    private mutating func resume() {
        (isResuming, hasHole) = (true, false)
        resumes += 1
        let cursors = epoch.map { [conversation: SyncRequest.Cursor(epoch: $0, seq: log.count)] } ?? [:]
        let data = SyncRequest(cursors: cursors).payload()
        connection.send(SocketFrame.text(Array(#"{"type":"resume","data":"#.utf8) + data + [UInt8(ascii: "}")]))
    }

    private mutating func append(_ page: SyncReply) {
        for entry in page.conversations where entry.id == conversation {
            epoch = entry.epoch
            for message in entry.messages {
                if message.seq > log.count + 1 { faults.append("resume: \(message.seq) after \(log.count)") }
                note(message.id, message.seq)
            }
        }
        isResuming = false
        if hasHole || !page.isComplete { resume() }
    }

    /// Adds to the log; a known record must be the same.
    private mutating func note(_ id: MessageID, _ seq: Int) {
        if seq == log.count + 1 {
            log.append(id)
        } else if seq <= log.count, log[seq - 1] != id {
            faults.append("\(seq) is \(log[seq - 1]) and \(id)")
        }
    }
}
