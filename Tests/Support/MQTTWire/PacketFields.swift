/// Reads the fields of one packet from first to last.
package struct PacketFields {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }

    /// Removes the first whole packet from `input`; `nil` while none is whole.
    ///
    /// - Parameter longest: of the fields, in bytes.
    package static func removePacket(
        from input: inout [UInt8], longest: Int = .max
    ) throws(WireError) -> (header: UInt8, body: [UInt8])? {
        guard let header = input.first else { return nil }
        var position = 1
        guard let length = try PacketReader.variableInteger(in: input, at: &position, to: input.count) else {
            return nil
        }
        guard length <= longest else { throw .malformed }
        guard input.count >= position + length else { return nil }
        let body = Array(input[position..<(position + length)])
        input.removeFirst(position + length)
        return (header, body)
    }

    package mutating func byte() throws(WireError) -> UInt8 { try take(1)[0] }

    package mutating func word() throws(WireError) -> UInt16 {
        let high = try byte()
        return UInt16(high) << 8 | UInt16(try byte())
    }

    package mutating func take(_ count: Int) throws(WireError) -> [UInt8] {
        guard count <= bytes.count - position else { throw .malformed }
        position += count
        return Array(bytes[(position - count)..<position])
    }

    package mutating func text() throws(WireError) -> String {
        String(decoding: try take(Int(try word())), as: UTF8.self)
    }

    package mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }

    private mutating func variable() throws(WireError) -> Int {
        guard let value = try PacketReader.variableInteger(in: bytes, at: &position, to: bytes.count) else {
            throw .malformed
        }
        return value
    }

    /// The properties that are texts or bytes, by their identifiers (MQTT 5 §2.2.2.2).
    package mutating func properties() throws(WireError) -> [UInt8: [UInt8]] {
        let end = try variable() + position
        guard end <= bytes.count else { throw .malformed }
        var found: [UInt8: [UInt8]] = [:]
        while position < end {
            let identifier = try byte()
            switch identifier {
            case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: _ = try byte()
            case 0x13, 0x21, 0x22, 0x23: _ = try word()
            case 0x02, 0x11, 0x18, 0x27: _ = try take(4)
            case 0x0B: _ = try variable()
            case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F: found[identifier] = try take(Int(try word()))
            case 0x26: for _ in 0..<2 { _ = try text() }
            default: throw .malformed
            }
        }
        guard position == end else { throw .malformed }
        return found
    }
}
