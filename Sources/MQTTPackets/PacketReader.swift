/// Splits what the broker has sent into packets (MQTT 5).
package enum PacketReader {
    /// The packet that begins at `start`, and where the next does; `nil` while it is not all there.
    ///
    /// - Parameters:
    ///   - end: where what has been read ends, at most the end of `bytes`.
    ///   - longest: the longest body that is taken, in bytes; a longer one is refused by its header.
    @inline(__always)
    package static func next(
        in bytes: Span<UInt8>, from start: Int, to end: Int, longest: Int = PacketHeader.longestBody
    ) throws(WireError) -> (packet: InboundPacket, next: Int)? {
        guard let header = try PacketHeader.read(in: bytes, from: start, to: end, longest: longest),
            header.body.upperBound <= end
        else { return nil }
        return (try read(header, in: bytes), header.body.upperBound)
    }

    @inline(__always)
    private static func read(_ header: PacketHeader, in bytes: Span<UInt8>) throws(WireError) -> InboundPacket {
        var cursor = PacketCursor(header.body)
        // Only PUBLISH has flags.
        switch header.first {
        case 0x30...0x3F: return .delivery(try delivery(flags: header.first & 0x0F, in: bytes, at: &cursor))
        case 0x40:
            let (packet, reason) = try acknowledgement(in: bytes, at: &cursor)
            return .acknowledged(packet: packet, reason: reason)
        case 0x20: return .connected(try connected(in: bytes, at: &cursor))
        case 0x90:
            let (packet, reasons) = try answer(in: bytes, at: &cursor)
            return .subscribed(packet: packet, reasons: reasons)
        case 0xB0:
            let (packet, reasons) = try answer(in: bytes, at: &cursor)
            return .unsubscribed(packet: packet, reasons: reasons)
        case 0xD0:
            guard cursor.isAtEnd else { throw .malformed }
            return .pong
        case 0xE0: return .disconnected(reason: try reason(in: bytes, at: &cursor))
        // What only clients send, and what only a client of QoS 2 or of extended authentication is sent.
        default: throw .malformed
        }
    }

    /// PUBLISH (§3.3).
    @inline(__always)
    private static func delivery(
        flags: UInt8, in bytes: Span<UInt8>, at cursor: inout PacketCursor
    ) throws(WireError) -> InboundPacket.Delivery {
        let topic = try cursor.field(in: bytes)
        // An empty one needs an alias, of which we allow none.
        guard !topic.isEmpty else { throw .malformed }
        let identifier: UInt16?
        switch flags & 0x06 {
        case 0: identifier = nil
        case 0x02: identifier = try cursor.identifier(in: bytes)
        default: throw .malformed
        }
        let properties = try PacketProperties(in: bytes, at: &cursor)
        return InboundPacket.Delivery(
            topic: topic, payload: cursor.rest, identifier: identifier, isRetained: flags & 0x01 != 0,
            correlationData: properties.correlationData)
    }

    /// PUBACK (§3.4).
    @inline(__always)
    private static func acknowledgement(
        in bytes: Span<UInt8>, at cursor: inout PacketCursor
    ) throws(WireError) -> (packet: UInt16, reason: ReasonCode) {
        let packet = try cursor.identifier(in: bytes)
        return (packet, try reason(in: bytes, at: &cursor))
    }

    /// A reason code and properties, which may both be left out (§3.4.2.1, §3.14.2.1).
    @inline(__always)
    private static func reason(
        in bytes: Span<UInt8>, at cursor: inout PacketCursor
    ) throws(WireError) -> ReasonCode {
        guard !cursor.isAtEnd else { return .success }
        let reason = ReasonCode(rawValue: try cursor.byte(in: bytes))
        if !cursor.isAtEnd { _ = try PacketProperties(in: bytes, at: &cursor) }
        guard cursor.isAtEnd else { throw .malformed }
        return reason
    }

    /// CONNACK (§3.2).
    private static func connected(
        in bytes: Span<UInt8>, at cursor: inout PacketCursor
    ) throws(WireError) -> InboundPacket.Connected {
        let flags = try cursor.byte(in: bytes)
        let reason = ReasonCode(rawValue: try cursor.byte(in: bytes))
        let properties = try PacketProperties(in: bytes, at: &cursor)
        guard flags <= 1, cursor.isAtEnd else { throw .malformed }
        return InboundPacket.Connected(reason: reason, isSessionPresent: flags == 1, properties: properties)
    }

    /// SUBACK and UNSUBACK (§3.9, §3.11).
    private static func answer(
        in bytes: Span<UInt8>, at cursor: inout PacketCursor
    ) throws(WireError) -> (packet: UInt16, reasons: Range<Int>) {
        let packet = try cursor.identifier(in: bytes)
        _ = try PacketProperties(in: bytes, at: &cursor)
        guard !cursor.isAtEnd else { throw .malformed }
        return (packet, cursor.rest)
    }
}
