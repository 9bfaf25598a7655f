import Foundation
import Glibc
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
        case socket(String)
        case timeout
        case closed(reason: UInt8?)
        case unexpected(UInt8)

        var description: String {
            switch self {
            case .socket(let call): "\(call) failed"
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
    private var frames: WebSocketFrames?
    private var version = Version.v5
    private var packetID: UInt16 = 0
    private var messages: [Message] = []
    /// In milliseconds.
    private let longestWait = CInt(patience.components.seconds) * 1000

    init(unixSocket path: String) throws {
        socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw WireError.socket("path") }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw WireError.socket("connect") }
    }

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw WireError.socket("connect") }
    }

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
        Glibc.close(socket)
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
        var body = text(version == .v31 ? "MQIsdp" : "MQTT") + [version.rawValue]
        if let will { flags |= 0x04 | 0x08 | (will.retain ? 0x20 : 0) }
        if username != nil { flags |= 0x80 }
        if password != nil { flags |= 0x40 }
        body += [flags, 0, 60]
        let authentication = method.map { [0x15] + text($0) } ?? []
        if version == .v5 {
            body += [UInt8(5 + authentication.count), 0x11] + number(sessionExpiry) + authentication
        }
        body += text(clientID)
        if let will {
            if version == .v5 { body += [5, 0x18] + number(will.delay) }
            body += text(will.topic) + text(will.payload)
        }
        if let username { body += text(username) }
        if let password { body += [UInt8(password.count >> 8), UInt8(password.count & 0xFF)] + password }
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
        try send(0x82, bytes(packetID) + (version == .v5 ? [0] : []) + text(filter) + [qos])
        return try answer(0x90).last ?? 0xFF
    }

    /// - Returns: the UNSUBACK's code; 0 for 3.1.1, which has none.
    func unsubscribe(_ filter: String) throws -> UInt8 {
        packetID += 1
        try send(0xA2, bytes(packetID) + (version == .v5 ? [0] : []) + text(filter))
        let packet = try answer(0xB0)
        return version == .v5 ? packet.last ?? 0xFF : 0
    }

    /// - Returns: the code of PUBACK or PUBREC; `nil` at QoS 0.
    @discardableResult
    func publish(
        _ topic: String, _ payload: [UInt8], qos: UInt8 = 1, retain: Bool = false, userProperties: Int = 0
    ) throws -> UInt8? {
        packetID += 1
        // Each is an empty name with an empty value.
        let one: [UInt8] = [0x26, 0, 0, 0, 0]
        let properties =
            version == .v5
            ? length(5 * userProperties) + repeatElement(one, count: userProperties).joined() : []
        try send(
            0x30 | qos << 1 | (retain ? 1 : 0),
            text(topic) + (qos > 0 ? bytes(packetID) : []) + properties + payload)
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
            if let (header, body) = takePacket() {
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
        let length = Int(body[0]) << 8 | Int(body[1])
        var position = 2 + length
        let topic = String(decoding: body[2..<position], as: UTF8.self)
        if header & 0x06 != 0 {
            try send(0x40, [body[position], body[position + 1]])
            position += 2
        }
        if version == .v5 {
            var (properties, shift) = (0, 0)
            repeat {
                properties |= Int(body[position] & 0x7F) << shift
                (position, shift) = (position + 1, shift + 7)
            } while body[position - 1] & 0x80 != 0
            position += properties
        }
        messages.append(Message(topic: topic, payload: Array(body[position...]), retain: header & 1 != 0))
    }

    private func takePacket() -> (header: UInt8, body: [UInt8])? {
        guard let header = input.first else { return nil }
        var length = 0
        var shift = 0
        for (index, byte) in input.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 0x7F) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            let start = index + 2
            guard input.count >= start + length else { return nil }
            let body = Array(input[start..<(start + length)])
            input.removeFirst(start + length)
            return (header, body)
        }
        return nil
    }

    private func fill() throws {
        guard isOpen else { throw WireError.closed(reason: nil) }
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, longestWait) > 0 else { throw WireError.timeout }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { throw WireError.closed(reason: nil) }
        input += frames?.feed(buffer.prefix(count)) ?? Array(buffer.prefix(count))
    }

    func send(_ header: UInt8, _ body: [UInt8]) throws {
        let packet = [header] + length(body.count) + body
        try sendRaw(frames == nil ? packet : WebSocketFrames.frame(packet))
    }

    /// A variable byte integer.
    func length(_ value: Int) -> [UInt8] {
        var (bytes, rest): ([UInt8], Int) = ([], value)
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }

    /// Sends bytes that need not be MQTT.
    func sendRaw(_ packet: [UInt8]) throws {
        var sent = 0
        while sent < packet.count {
            let count = unsafe packet.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw WireError.closed(reason: nil) }
            sent += count
        }
    }

    func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    private func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    private func number(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
