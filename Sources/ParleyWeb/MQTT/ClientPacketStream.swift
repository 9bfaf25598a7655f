import MQTTPackets

/// Follows the packets of somebody who has signed in, from header to header: each is of a type that a client sends,
/// and no longer than the broker takes. What is in them the broker judges.
struct ClientPacketStream: Sendable {
    /// The longest body of a packet, in bytes: the broker's `max_packet_size`.
    static let longestBody = 393_216

    /// How much of a packet's body is still to come.
    private var remaining = 0
    /// The part of a header that has come: less than 5 bytes.
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

    /// Begins the packet, if its header is whole.
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

    /// Types and flags of what a client sends after CONNECT (MQTT 5 §2.1.2, §2.1.3). Extended authentication (AUTH)
    /// is none of ours.
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
