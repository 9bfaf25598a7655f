import MQTTWire
import ParleyProtocol
import TestSupport

/// An app's WebSocket at the door. It blocks; every wait is bounded.
final class AppSocket {
    private let connection: HTTPConnection
    /// The close code that came.
    private(set) var closeCode: Int?
    /// Pings that came and were answered.
    private(set) var pings = 0
    /// Events that came and were not taken, in order.
    private(set) var inbox: [JSON] = []
    private(set) var pongs: [[UInt8]] = []

    /// The door refused to make a connection a WebSocket.
    struct Refused: Error {
        let answer: WebAnswer
    }

    /// - Parameter token: for `Authorization`.
    /// - Throws: ``Refused``
    init(_ door: TestDoor, token: String?, query: String = "", _ fields: [String] = []) throws {
        connection = try door.connect()
        let upgrade = [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        try connection.send(TestDoor.request("GET", "/ws" + query, token: token, upgrade + fields))
        guard let answer = try connection.answer() else { throw NeverCameError("an answer to an upgrade") }
        guard answer.status == 101 else { throw Refused(answer: WebAnswer(answer)) }
    }

    /// Opens one and waits until it hears everything.
    static func opened(_ door: TestDoor, _ credentials: DeviceCredentials) throws -> AppSocket {
        let socket = try AppSocket(door, token: credentials.password)
        let greeting = try socket.event("connection.established")
        guard greeting["user_id"].text == credentials.username else {
            throw NeverCameError("the greeting of \(greeting)")
        }
        return socket
    }

    func send(_ type: String, _ data: JSON) throws {
        let message: JSON = ["type": .string(type), "data": data]
        try send(WebSocketFrame(.text, message.bytes))
    }

    func send(_ frame: WebSocketFrame) throws { try connection.send(frame.bytes()) }
    func send(raw bytes: [UInt8]) throws { try connection.send(bytes) }

    /// As many bytes as the door takes at this moment.
    func sendNow(_ bytes: [UInt8]) -> Int { connection.sendNow(bytes) }

    /// Takes the first event of this type that fits, waiting for it; its `data`.
    func event(_ type: String, where matches: (JSON) -> Bool = { _ in true }) throws -> JSON {
        let found = try connection.until("\(type)") { _ in
            try takeFrames()
            return inbox.firstIndex { $0["type"].text == type && matches($0["data"]) }.map { inbox.remove(at: $0) }
        }
        guard let found else { throw NeverCameError("\(type) before the end (\(closeCode ?? 0))") }
        return found["data"]
    }

    /// The types of the events that have come.
    var types: [String] { inbox.compactMap { $0["type"].text } }

    func awaitPong() throws -> [UInt8] {
        let pong = try connection.until("a pong") { _ -> [UInt8]? in
            try takeFrames()
            return pongs.isEmpty ? nil : pongs.removeFirst()
        }
        guard let pong else { throw NeverCameError("a pong before the end (\(closeCode ?? 0))") }
        return pong
    }

    /// Waits for the door to close; the code that it says, `nil` for none.
    func awaitClose() throws -> Int? {
        _ = try connection.until("a close") { connection in
            try takeFrames()
            return connection.isEnded ? () : nil
        }
        try takeFrames()
        return closeCode
    }

    func close() { connection.close() }

    private func takeFrames() throws {
        while let (frame, rest) = try WebSocketFrame.first(of: connection.input[...]) {
            connection.drop(connection.input.count - rest.count)
            switch frame.opcode {
            case .text: inbox.append((try? JSON(parsing: frame.payload)) ?? .null)
            case .ping:
                pings += 1
                try send(WebSocketFrame(.pong, frame.payload))
            case .pong: pongs.append(frame.payload)
            case .close: closeCode = frame.closeCode
            case .continuation, .binary: throw FrameError()
            }
        }
    }
}
