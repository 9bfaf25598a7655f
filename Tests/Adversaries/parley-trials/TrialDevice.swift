import MQTTPackets
import MQTTWire
import GatewaySite
import Platform
import ParleyProtocol

/// A device of a trial, on a socket of its own. Confined to the trial's thread.
final class TrialDevice {
    let seat: Population.Seat
    /// Everything that it has heard, in order.
    private(set) var heard: [HeardEvent] = []
    /// When the broker ended the connection.
    private(set) var endedAt: Int64?
    private(set) var connection: Connection?

    struct Connection {
        let reason: UInt8
        let isSessionPresent: Bool
    }

    private let socket: Int32
    /// Before the names of its requests: further connections of one device hear each other's replies.
    private let prefix: String
    private var output: [UInt8] = []
    private var input = [UInt8](repeating: 0, count: 64 << 10)
    /// How many bytes of the input have come and are no whole packet.
    private var pending = 0
    private var subscriptions: [[UInt8]] = []
    private var replies: [String: TrialReply] = [:]
    private var sent = 0
    private var packet: UInt16 = 0

    /// - Parameters:
    ///   - name: the `x` of `uid:did:x`, for a device that is connected more than once.
    ///   - keepsSession: for a device that goes away and comes back.
    ///   - number: of this connection of the device, which may still hear replies to an earlier one's requests.
    init(
        _ seat: Population.Seat, port: UInt16, name: String? = nil, keepsSession: Bool = false, number: Int = 0
    ) throws {
        self.seat = seat
        prefix = (name.map { "\($0)." } ?? "") + "\(number)."
        socket = try Socket.connect(toLoopbackPort: port)
        output = try PacketWriter.connect(
            clientID: "\(seat.address.user):\(seat.address.device)" + (name.map { ":\($0)" } ?? ""),
            username: seat.address.user.text, password: seat.token, keepsSession: keepsSession)
    }

    deinit { Socket.close(socket) }

    var isOpen: Bool { endedAt == nil }
    var entry: pollfd {
        pollfd(fd: isOpen ? socket : -1, events: Int16(output.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0)
    }
}

// MARK: Saying

extension TrialDevice {
    /// - Returns: how many SUBACKs there are when this one has come.
    @discardableResult
    func subscribe(_ topics: [Topic]) throws -> Int {
        let filters = topics.map(\.name) + ["\(Topic.prefix)down/\(seat.address.user)/\(seat.address.device)/#"]
        output += try PacketWriter.subscribe(to: filters, packet: nextPacket())
        sent += 1
        return subscriptions.count + 1
    }

    /// Sends a request; one without a reply has no name.
    ///
    /// - Returns: the name by which ``reply(_:)`` finds the reply.
    @discardableResult
    func ask(_ request: any Request) throws -> String {
        sent += 1
        let name = "\(prefix)\(sent)"
        let topic = "\(Topic.prefix)up/\(seat.address.user)/\(seat.address.device)/\(request.operation)"
        output += try PacketWriter.publish(
            topic: topic, payload: request.payload(requestID: name), packet: nextPacket()
        ).bytes
        return name
    }

    /// Disconnects; the broker keeps the session if it was asked to.
    func disconnect() { output += PacketWriter.disconnect }

    private func nextPacket() -> UInt16 {
        packet = packet == .max ? 1 : packet + 1
        return packet
    }
}

// MARK: Hearing

extension TrialDevice {
    func reply(_ name: String) -> TrialReply? { replies[name] }

    /// The reply, which is forgotten.
    func takeReply(_ name: String) -> TrialReply? { replies.removeValue(forKey: name) }

    /// What it has heard since the last call, which is forgotten.
    func takeHeard() -> [HeardEvent] {
        defer { heard = [] }
        return heard
    }

    /// The codes of the `number`th SUBACK, if it has come.
    func subscription(_ number: Int) -> [UInt8]? { number <= subscriptions.count ? subscriptions[number - 1] : nil }

    func flush() {
        guard isOpen, !output.isEmpty else { return }
        do {
            output.removeFirst(try Socket.send(socket, output, from: 0))
        } catch {
            endedAt = MonotonicTime.now
        }
    }

    /// Reads all that has come.
    func receive() throws {
        while isOpen {
            if pending == input.count { input += [UInt8](repeating: 0, count: input.count) }
            let count: Int
            do {
                count = try Socket.receive(socket, into: &input, at: pending)
            } catch {
                endedAt = MonotonicTime.now
                return
            }
            guard count > 0 else { return }
            pending += count
            let now = MonotonicTime.now
            var position = 0
            while let (packet, next) = try readPacket(at: position) {
                handle(packet, at: now)
                position = next
            }
            input.removeSubrange(0..<position)
            input += [UInt8](repeating: 0, count: position)
            pending -= position
        }
    }

    private func readPacket(at position: Int) throws(WireError) -> (packet: InboundPacket, next: Int)? {
        let bytes = input
        return try PacketReader.next(in: bytes.span, from: position, to: pending)
    }

    private func handle(_ packet: InboundPacket, at now: Int64) {
        switch packet {
        case .connected(let answer):
            connection = Connection(reason: answer.reason.rawValue, isSessionPresent: answer.isSessionPresent)
        case .subscribed(_, let reasons): subscriptions.append(Array(input[reasons]))
        case .delivery(let delivery):
            if let identifier = delivery.identifier {
                output += [0x40, 2, UInt8(identifier >> 8), UInt8(identifier & 0xFF)]
            }
            deliver(Array(input[delivery.topic]), Array(input[delivery.payload]), at: now)
        case .acknowledged, .unsubscribed, .pong: break
        case .disconnected: endedAt = now
        }
    }

    private func deliver(_ topic: [UInt8], _ payload: [UInt8], at now: Int64) {
        switch Topic(parsing: topic.span) {
        case .down:
            guard let object = try? JSONObject(parsing: payload), let name = try? object.text("request_id", maximum: 64)
            else { return }
            replies[name] = TrialReply(object, at: now)
        default:
            heard.append(HeardEvent(topic: String(decoding: topic, as: UTF8.self), payload: payload, at: now))
        }
    }
}

/// A reply, and when it came.
struct TrialReply {
    let isAccepted: Bool
    let code: String?
    let data: JSONObject?
    let at: Int64

    init(_ object: JSONObject, at: Int64) {
        isAccepted = (try? object.bool("ok")) == true
        code = try? object.object("error")?.text("code", maximum: 64)
        data = try? object.object("data")
        self.at = at
    }

    func integer(_ name: String) -> Int? { try? data?.integer(name, in: 0...Int.max) }
}
