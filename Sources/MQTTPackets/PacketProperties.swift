/// The properties of one packet that somebody here asks for (MQTT 5 §2.2.2); the others are read and passed over.
///
/// Whether a property belongs to its packet is not looked at.
package struct PacketProperties: Hashable, Sendable {
    /// The most QoS 1 publishes that the peer takes before it has acknowledged one (§3.2.2.3.3).
    package private(set) var receiveMaximum: UInt16?
    /// The longest packet that the peer takes, in bytes (§3.2.2.3.6).
    package private(set) var maximumPacketSize: UInt32?
    /// In seconds; in place of what the client has asked for (§3.2.2.3.14).
    package private(set) var serverKeepAlive: UInt16?
    /// In seconds; in place of what the client has asked for (§3.2.2.3.2).
    package private(set) var sessionExpiry: UInt32?
    package private(set) var assignedClientID: Range<Int>?
    package private(set) var responseTopic: Range<Int>?
    package private(set) var correlationData: Range<Int>?
}

extension PacketProperties {
    /// Reads the properties at the cursor, their length before them.
    package init(in bytes: Span<UInt8>, at cursor: inout PacketCursor) throws(WireError) {
        let length = try cursor.variableInteger(in: bytes)
        guard length > 0 else { return }
        var properties = PacketCursor(try cursor.take(length))
        // Every identifier is below 64.
        var seen: UInt64 = 0
        while !properties.isAtEnd {
            let identifier = try properties.byte(in: bytes)
            try read(identifier, in: bytes, at: &properties)
            guard !PacketProperties.mayRepeat(identifier) else { continue }
            let mark: UInt64 = 1 << UInt64(identifier)
            guard seen & mark == 0 else { throw .malformed }
            seen |= mark
        }
    }

    /// The subscription identifier and the user property.
    private static func mayRepeat(_ identifier: UInt8) -> Bool { identifier == 0x0B || identifier == 0x26 }

    private mutating func read(
        _ identifier: UInt8, in bytes: Span<UInt8>, at cursor: inout PacketCursor
    ) throws(WireError) {
        switch identifier {
        case 0x21:
            receiveMaximum = try cursor.word(in: bytes)
            guard receiveMaximum != 0 else { throw .malformed }
        case 0x27:
            maximumPacketSize = try cursor.doubleWord(in: bytes)
            guard maximumPacketSize != 0 else { throw .malformed }
        case 0x13: serverKeepAlive = try cursor.word(in: bytes)
        case 0x11: sessionExpiry = try cursor.doubleWord(in: bytes)
        case 0x12: assignedClientID = try cursor.field(in: bytes)
        case 0x08: responseTopic = try cursor.field(in: bytes)
        case 0x09: correlationData = try cursor.field(in: bytes)
        case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: _ = try cursor.byte(in: bytes)
        case 0x22, 0x23: _ = try cursor.word(in: bytes)
        case 0x02, 0x18: _ = try cursor.doubleWord(in: bytes)
        case 0x0B: _ = try cursor.variableInteger(in: bytes)
        case 0x03, 0x15, 0x16, 0x1A, 0x1C, 0x1F: _ = try cursor.field(in: bytes)
        case 0x26: for _ in 0..<2 { _ = try cursor.field(in: bytes) }
        default: throw .malformed
        }
    }
}
