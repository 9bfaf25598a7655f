import Glibc
import MQTTPackets
import MQTTWire
import TestSupport

/// A client that speaks MQTT 3.1.1 and 5 byte by byte, so that a test can do what no well-behaved library does and
/// sees each return code. It blocks; every wait is bounded.
final class WireClient {
    enum Version: UInt8 {
        case v31 = 3
        case v311 = 4
        case v5 = 5
    }

    struct Will {
        var topic: String
        var payload = "will"
        var delay: UInt32 = 0
        var retain = false
    }

    struct Message: Equatable, CustomStringConvertible {
        let topic: String
        let payload: [UInt8]
        let retain: Bool
        var description: String { "\(topic): \(String(decoding: payload, as: UTF8.self))" }
    }

    enum WireError: Error, CustomStringConvertible {
        case timeout
        case closed(reason: UInt8?)
        case unexpected(UInt8)

        var description: String {
            switch self {
            case .timeout: "nothing came in time"
            case .closed(let reason): "the broker closed the connection (reason \(reason.map { "\($0)" } ?? "none"))"
            case .unexpected(let type): "unexpected packet \(type)"
            }
        }
    }

    private let socket: CInt
    private var isOpen = true
    private var input: [UInt8] = []
    /// `nil` for MQTT without WebSocket.
    private(set) var frames: WebSocketFrames?
    private var version = Version.v5
    private var packetID: UInt16 = 0
    private var messages: [Message] = []
    /// In milliseconds.
    private let longestWait = CInt(patience.components.seconds) * 1000

    init(unixSocket path: String) throws { socket = try Socket.connect(toUnixSocket: path) }

    init(port: UInt16) throws { socket = try Socket.connect(toLoopbackPort: port, blocks: true) }

    /// MQTT over WebSocket, once the broker has agreed to it.
    convenience init(webSocketPort port: UInt16) throws {
        try self.init(port: port)
        try sendRaw(WebSocketFrames.request)
        frames = WebSocketFrames()
        while frames?.isUpgraded == false { try fill() }
    }

    // Also what closes the socket when an initializer has thrown.
    deinit { close() }

    /// Closes the socket without a DISCONNECT: the broker takes it for a failure of the network.
    func close() {
        guard isOpen else { return }
        isOpen = false
        Socket.close(socket)
    }

    /// A DISCONNECT that asks for the will (reason 0x04), or the plain one.
    func disconnect(withWill: Bool = false) throws {
        try send(0xE0, withWill ? [4] : [])
        close()
    }
}

// MARK: Requests

extension WireClient {
    /// - Parameter method: of extended authentication, which the broker has none of.
    /// - Returns: the CONNACK's code, or `nil` if the broker closed without one.
    func connect(
        _ clientID: String, username: String?, password: [UInt8]?, version: Version = .v5, clean: Bool = true,
        sessionExpiry: UInt32 = 0, will: Will? = nil, method: String? = nil
    ) throws -> UInt8? {
        self.version = version
        var flags: UInt8 = clean ? 0x02 : 0
        var body = PacketBytes.text(version == .v31 ? "MQIsdp" : "MQTT") + [version.rawValue]
        if let will { flags |= 0x04 | 0x08 | (will.retain ? 0x20 : 0) }
        if username != nil { flags |= 0x80 }
        if password != nil { flags |= 0x40 }
        body += [flags, 0, 60]
        let authentication = method.map { [0x15] + PacketBytes.text($0) } ?? []
        if version == .v5 {
            body += [UInt8(5 + authentication.count), 0x11] + PacketBytes.doubleWord(sessionExpiry) + authentication
        }
        body += PacketBytes.text(clientID)
        if let will {
            if version == .v5 { body += [5, 0x18] + PacketBytes.doubleWord(will.delay) }
            body += PacketBytes.text(will.topic) + PacketBytes.text(will.payload)
        }
        if let username { body += PacketBytes.text(username) }
        if let password { body += PacketBytes.binary(password) }
        try send(0x10, body)
        do {
            let (type, packet) = try nextPacket()
            guard type == 0x20, packet.count >= 2 else { throw WireError.unexpected(type) }
            return packet[1]
        } catch WireError.closed { return nil }
    }

    /// - Returns: the SUBACK's code.
    func subscribe(_ filter: String, qos: UInt8 = 1) throws -> UInt8 {
        packetID += 1
        try send(0x82, PacketBytes.word(packetID) + (version == .v5 ? [0] : []) + PacketBytes.text(filter) + [qos])
        return try answer(0x90).last ?? 0xFF
    }

    /// - Returns: the UNSUBACK's code; 0 for 3.1.1, which has none.
    func unsubscribe(_ filter: String) throws -> UInt8 {
        packetID += 1
        try send(0xA2, PacketBytes.word(packetID) + (version == .v5 ? [0] : []) + PacketBytes.text(filter))
        let packet = try answer(0xB0)
        return version == .v5 ? packet.last ?? 0xFF : 0
    }

    /// - Returns: the code of PUBACK or PUBREC; `nil` at QoS 0.
    @discardableResult
    func publish(
        _ topic: String, _ payload: [UInt8], qos: UInt8 = 1, retain: Bool = false, userProperties: Int = 0
    ) throws -> UInt8? {
        packetID += 1
        let properties = version == .v5 ? PacketBytes.emptyUserProperties(userProperties) : []
        try send(
            0x30 | qos << 1 | (retain ? 1 : 0),
            PacketBytes.text(topic) + (qos > 0 ? PacketBytes.word(packetID) : []) + properties + payload)
        guard qos > 0 else { return nil }
        let packet = try answer(qos == 1 ? 0x40 : 0x50)
        return packet.count > 2 ? packet[2] : 0
    }

    @discardableResult
    func publish(_ topic: String, _ payload: String, qos: UInt8 = 1, retain: Bool = false) throws -> UInt8? {
        try publish(topic, Array(payload.utf8), qos: qos, retain: retain)
    }

    /// Everything that the broker had sent before it answers a ping, in order.
    func drain() throws -> [Message] {
        try send(0xC0, [])
        _ = try answer(0xD0)
        defer { messages = [] }
        return messages
    }

    /// The next message, waiting for it.
    func nextMessage() throws -> Message {
        while messages.isEmpty {
            let (type, _) = try nextPacket()
            guard type == 0x30 else { throw WireError.unexpected(type) }
        }
        return messages.removeFirst()
    }

    /// Waits for the broker to close the connection.
    ///
    /// - Returns: the reason of its DISCONNECT, if there was one.
    func waitUntilClosed() throws -> UInt8? {
        do {
            while true { _ = try nextPacket() }
        } catch WireError.closed(let reason) { return reason }
    }
}

// MARK: Packets

extension WireClient {
    /// Reads until the packet of this type; messages on the way are kept and acknowledged.
    private func answer(_ type: UInt8) throws -> [UInt8] {
        while true {
            let (found, packet) = try nextPacket()
            if found == type { return packet }
            guard found == 0x30 else { throw WireError.unexpected(found) }
        }
    }

    private func nextPacket() throws -> (type: UInt8, body: [UInt8]) {
        while true {
            if let (header, body) = try PacketFields.removePacket(from: &input) {
                switch header & 0xF0 {
                case 0x30: try keep(header, body)
                case 0xE0: throw WireError.closed(reason: body.first)
                default: break
                }
                return (header & 0xF0, body)
            }
            try fill()
        }
    }

    private func keep(_ header: UInt8, _ body: [UInt8]) throws {
        var fields = PacketFields(body)
        let topic = try fields.text()
        if header & 0x06 != 0 { try send(0x40, PacketBytes.word(try fields.word())) }
        if version == .v5 { _ = try fields.properties() }
        messages.append(Message(topic: topic, payload: fields.rest(), retain: header & 1 != 0))
    }

    /// Reads what has come, waiting for it.
    func fill() throws {
        guard isOpen else { throw WireError.closed(reason: nil) }
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, longestWait) > 0 else { throw WireError.timeout }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { throw WireError.closed(reason: nil) }
        input += frames?.feed(buffer.prefix(count)) ?? Array(buffer.prefix(count))
    }

    func send(_ header: UInt8, _ body: [UInt8]) throws {
        let packet = PacketBytes.packet(header, body)
        try sendRaw(frames == nil ? packet : WebSocketFrames.frame(packet))
    }

    /// Sends bytes that need not be MQTT.
    func sendRaw(_ packet: [UInt8]) throws {
        var sent = 0
        while sent < packet.count {
            guard let count = try? Socket.send(socket, packet, from: sent) else { throw WireError.closed(reason: nil) }
            sent += count
        }
    }
}
