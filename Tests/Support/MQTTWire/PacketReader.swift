/// One packet from the broker, as ranges into the bytes that were read.
package enum InboundPacket {
    /// CONNACK's reason code, and whether the broker has kept the session.
    case connected(reason: UInt8, isSessionPresent: Bool)
    /// SUBACK's reason codes.
    case subscribed(reasons: Range<Int>)
    /// PUBACK of one of our own publishes.
    case acknowledged(reason: UInt8)
    /// A delivery; without an identifier at QoS 0.
    case delivery(topic: Range<Int>, payload: Range<Int>, identifier: UInt16?)
    /// The broker ends the connection.
    case disconnected(reason: UInt8)
    case other(type: UInt8)
}

/// Splits what was read into packets.
package enum PacketReader {
    /// The packet that begins at `start`, and where the next does; `nil` while it is not all there.
    @inline(__always)
    package static func next(
        in bytes: borrowing [UInt8], from start: Int, to end: Int
    ) throws(WireError) -> (packet: InboundPacket, next: Int)? {
        guard end - start >= 2 else { return nil }
        var position = start + 1
        guard let length = try variableInteger(in: bytes, at: &position, to: end), position + length <= end else {
            return nil
        }
        let next = position + length
        return (try decode(bytes, header: bytes[start], body: position..<next), next)
    }

    @inline(__always)
    private static func decode(
        _ bytes: borrowing [UInt8], header: UInt8, body: Range<Int>
    ) throws(WireError) -> InboundPacket {
        switch header >> 4 {
        case 3: return try delivery(bytes, header: header, body: body)
        case 4: return .acknowledged(reason: body.count > 2 ? bytes[body.lowerBound + 2] : 0)
        case 2:
            guard body.count >= 2 else { throw .malformed }
            return .connected(
                reason: bytes[body.lowerBound + 1], isSessionPresent: bytes[body.lowerBound] & 1 == 1)
        case 9:
            var position = body.lowerBound + 2
            try skipProperties(in: bytes, at: &position, to: body.upperBound)
            return .subscribed(reasons: position..<body.upperBound)
        case 14: return .disconnected(reason: body.isEmpty ? 0 : bytes[body.lowerBound])
        default: return .other(type: header >> 4)
        }
    }

    @inline(__always)
    private static func delivery(
        _ bytes: borrowing [UInt8], header: UInt8, body: Range<Int>
    ) throws(WireError) -> InboundPacket {
        guard body.count >= 2 else { throw .malformed }
        var position = body.lowerBound + 2
        let topicEnd = position + word(bytes, at: body.lowerBound)
        let topic = position..<max(position, topicEnd)
        position = topicEnd
        var identifier: UInt16?
        if header & 0x06 != 0 {
            guard position + 2 <= body.upperBound else { throw .malformed }
            identifier = UInt16(word(bytes, at: position))
            position += 2
        }
        guard position < body.upperBound else { throw .malformed }
        try skipProperties(in: bytes, at: &position, to: body.upperBound)
        return .delivery(topic: topic, payload: position..<body.upperBound, identifier: identifier)
    }

    @inline(__always)
    private static func word(_ bytes: borrowing [UInt8], at position: Int) -> Int {
        Int(bytes[position]) << 8 | Int(bytes[position + 1])
    }

    @inline(__always)
    private static func skipProperties(
        in bytes: borrowing [UInt8], at position: inout Int, to end: Int
    ) throws(WireError) {
        guard let length = try variableInteger(in: bytes, at: &position, to: end), position + length <= end else {
            throw .malformed
        }
        position += length
    }

    /// MQTT 5 §1.5.5; `nil` while it is not all there.
    @inline(__always)
    static func variableInteger(
        in bytes: borrowing [UInt8], at position: inout Int, to end: Int
    ) throws(WireError) -> Int? {
        var value = 0
        for digit in 0..<4 {
            guard position < end else { return nil }
            let byte = bytes[position]
            position += 1
            value |= Int(byte & 0x7F) << (7 * digit)
            if byte & 0x80 == 0 { return value }
        }
        throw .malformed
    }
}

/// What came is no MQTT 5, or none that is sent here.
package enum WireError: Error {
    case malformed
}
