/// A place in a packet, which moves on as its fields are read (MQTT 5 §1.5).
///
/// It holds no bytes, so that a packet can be read wherever it stands; each call gets the same ones.
package struct PacketCursor: Sendable {
    private var position: Int
    private let end: Int

    /// - Parameter fields: within the bytes that each call gets.
    package init(_ fields: Range<Int>) { (position, end) = (fields.lowerBound, fields.upperBound) }

    package var isAtEnd: Bool { position == end }

    /// Everything that has not been read.
    package var rest: Range<Int> { position..<end }

    package mutating func byte(in bytes: Span<UInt8>) throws(WireError) -> UInt8 { bytes[try take(1).lowerBound] }

    package mutating func word(in bytes: Span<UInt8>) throws(WireError) -> UInt16 {
        let place = try take(2).lowerBound
        return UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
    }

    package mutating func doubleWord(in bytes: Span<UInt8>) throws(WireError) -> UInt32 {
        let high = try word(in: bytes)
        return UInt32(high) << 16 | UInt32(try word(in: bytes))
    }

    package mutating func variableInteger(in bytes: Span<UInt8>) throws(WireError) -> Int {
        guard let value = try PacketHeader.variableInteger(in: bytes, at: &position, to: end) else {
            throw .malformed
        }
        return value
    }

    /// The bytes behind their count, which a text is as well: whether it is UTF-8 is not looked at.
    package mutating func field(in bytes: Span<UInt8>) throws(WireError) -> Range<Int> {
        try take(Int(try word(in: bytes)))
    }

    package mutating func take(_ count: Int) throws(WireError) -> Range<Int> {
        guard count <= end - position else { throw .malformed }
        position += count
        return (position - count)..<position
    }

    /// A packet identifier, which is never 0 (§2.2.1).
    package mutating func identifier(in bytes: Span<UInt8>) throws(WireError) -> UInt16 {
        let identifier = try word(in: bytes)
        guard identifier != 0 else { throw .malformed }
        return identifier
    }
}
