import MQTTPackets
import MQTTWire
import GatewaySite
import Platform
import ParleyProtocol

/// Devices on one thread: many sockets, one loop over `ppoll`, large reads and writes, no allocation for a message. It
/// is cheap because it shares the machine with what it measures.
class SocketFleet {
    private let port: UInt16
    private let stop: StopFlag
    private var sockets: [DeviceSocket] = []
    private var entries: [pollfd] = []
    /// Devices that may have something to write.
    private var dirty: [Int] = []
    /// The bytes that were read last.
    private(set) var input: [UInt8]
    private var connected = 0
    private var subscribed = 0

    static let longestWait: Int64 = 50_000_000

    init(port: UInt16, inputBytes: Int, stop: StopFlag) {
        (self.port, self.stop) = (port, stop)
        input = [UInt8](repeating: 0, count: inputBytes)
    }

    deinit { for socket in sockets { Socket.close(socket.descriptor) } }

    final var deviceCount: Int { sockets.count }

    /// Handles a message; its topic and payload lie in ``input``.
    func deliver(topic: Range<Int>, payload: Range<Int>, to index: Int) {}

    /// Counts a PUBLISH that the broker refused.
    func refuse(_ reason: String) {}

    // MARK: Signing in

    /// - Parameter port: of another broker than the fleet's.
    final func connect(_ seat: Population.Seat, port other: UInt16? = nil) throws {
        let socket = try DeviceSocket(toLoopbackPort: other ?? port)
        sockets.append(socket)
        entries.append(pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0))
        let packet = try PacketWriter.connect(
            clientID: "\(seat.address.user):\(seat.address.device)", username: seat.address.user.description,
            password: seat.token)
        send(packet, by: sockets.count - 1)
        try flush()
    }

    final func awaitConnected() throws {
        try sweep(until: { self.connected == self.sockets.count }, what: "CONNACK")
    }

    final func subscribe(_ index: Int, to filters: [String]) throws {
        send(try PacketWriter.subscribe(to: filters, packet: 1), by: index)
    }

    final func awaitSubscribed() throws {
        try sweep(until: { self.subscribed == self.sockets.count }, what: "SUBACK")
    }

    // MARK: The loop

    @inline(__always)
    final func send(_ packet: [UInt8], by index: Int) {
        sockets[index].output += packet
        markDirty(index)
    }

    final func sweep(until isDone: () -> Bool, what: String) throws {
        let deadline = MonotonicTime.now + 60_000_000_000
        while !isDone() {
            guard MonotonicTime.now < deadline else { throw LoadError.missing(what) }
            try sweep(wait: SocketFleet.longestWait)
        }
    }

    /// Writes what waits, waits for what can be read, and reads all of it.
    final func sweep(wait nanoseconds: Int64) throws {
        if stop.isRaised { throw LoadError.interrupted }
        try flush()
        guard try Socket.poll(&entries, nanoseconds: nanoseconds) > 0 else { return }
        for index in entries.indices where entries[index].revents != 0 {
            if entries[index].revents & Int16(POLLOUT) != 0 { markDirty(index) }
            if entries[index].revents & ~Int16(POLLOUT) != 0 { try read(index) }
        }
        try flush()
    }

    private func read(_ index: Int) throws {
        let end = try sockets[index].read(into: &input)
        var position = 0
        while let (packet, next) = try PacketReader.next(in: input.span, from: position, to: end) {
            try handle(packet, at: index)
            position = next
        }
        if position < end { sockets[index].keep(input[position..<end]) }
    }

    @inline(__always)
    private func handle(_ packet: InboundPacket, at index: Int) throws {
        switch packet {
        case .delivery(let delivery):
            if let identifier = delivery.identifier {
                send([0x40, 2, UInt8(identifier >> 8), UInt8(identifier & 0xFF)], by: index)
            }
            deliver(topic: delivery.topic, payload: delivery.payload, to: index)
        case .acknowledged(_, let reason):
            // That nobody has subscribed is as bad: nobody was there to relay it.
            if reason != .success { refuse("PUBACK with reason \(reason.rawValue)") }
        case .connected(let answer):
            guard answer.reason == .success else { throw LoadError.refused("CONNACK", answer.reason.rawValue) }
            connected += 1
        case .subscribed(_, let reasons):
            for reason in input[reasons] where reason >= 0x80 { throw LoadError.refused("SUBACK", reason) }
            subscribed += 1
        case .disconnected(let reason): throw LoadError.refused("DISCONNECT", reason.rawValue)
        case .unsubscribed, .pong: break
        }
    }

    @inline(__always)
    private func markDirty(_ index: Int) {
        guard !sockets[index].isDirty else { return }
        sockets[index].isDirty = true
        dirty.append(index)
    }

    private func flush() throws {
        for index in dirty {
            sockets[index].isDirty = false
            let isAllWritten = try sockets[index].flush()
            entries[index].events = Int16(isAllWritten ? POLLIN : POLLIN | POLLOUT)
        }
        dirty.removeAll(keepingCapacity: true)
    }
}
