import MQTTPackets

/// Follows a signed-in client's packets, from header to header: each has a type that clients send, and at most the
/// broker's length. The broker judges their content.
struct ClientPacketStream: Sendable {
    /// The longest body of a packet, in bytes: the broker's `max_packet_size`.
    static let longestBody = 393_216

    /// The rest of the current packet's body, in bytes.
    private var remaining = 0
    /// The part of a header received so far: less than 5 bytes.
    private var header: [UInt8] = []

    mutating func follow(_ bytes: Span<UInt8>) throws(MQTTRefusal) {
        var position = 0
        while position < bytes.count {
            guard remaining == 0 else {
                let count = min(remaining, bytes.count - position)
                remaining -= count
                position += count
                continue
            }
            header.append(bytes[position])
            position += 1
            try begin()
        }
    }

    /// Begins a packet, if its header is complete.
    private mutating func begin() throws(MQTTRefusal) {
        guard Self.isSent(header[0]) else { throw .protocolError }
        do throws(WireError) {
            let found = try PacketHeader.read(
                in: header.span, from: 0, to: header.count, longest: Self.longestBody)
            guard let found else { return }
            remaining = found.body.count
            header.removeAll(keepingCapacity: true)
        } catch {
            switch error {
            case .malformed: throw .protocolError
            case .tooLong: throw .tooLong
            }
        }
    }

    /// The types and flags of a client's packets after CONNECT (MQTT 5 §2.1.2, §2.1.3). Extended authentication (AUTH)
    /// is not supported.
    private static func isSent(_ first: UInt8) -> Bool {
        switch first {
        // PUBLISH at any QoS but 3.
        case 0x30...0x3F: first & 0x06 != 0x06
        // PUBACK, PUBREC, PUBREL, PUBCOMP, SUBSCRIBE, UNSUBSCRIBE, PINGREQ, DISCONNECT.
        case 0x40, 0x50, 0x62, 0x70, 0x82, 0xA2, 0xC0, 0xE0: true
        default: false
        }
    }
}
