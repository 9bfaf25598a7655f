/// The fixed header of a packet (MQTT 5 §2.1), which can be judged before its body has come.
package struct PacketHeader: Hashable, Sendable {
    /// The type of the packet in the upper four bits, its flags in the lower.
    package let first: UInt8
    /// Where the body stands; it may reach beyond what has been read.
    package let body: Range<Int>

    /// A variable byte integer has at most four digits (§1.5.5): the longest body, in bytes.
    package static let longestBody = 268_435_455

    /// The header that begins at `start`; `nil` while it is not all there.
    ///
    /// - Parameters:
    ///   - end: where what has been read ends, at most the end of `bytes`.
    ///   - longest: the longest body that is taken, in bytes; a longer one is refused by its header.
    package static func read(
        in bytes: Span<UInt8>, from start: Int, to end: Int, longest: Int = longestBody
    ) throws(WireError) -> PacketHeader? {
        guard start < end else { return nil }
        var position = start + 1
        guard let length = try variableInteger(in: bytes, at: &position, to: end) else { return nil }
        guard length <= longest else { throw .tooLong }
        return PacketHeader(first: bytes[start], body: position..<(position + length))
    }

    /// MQTT 5 §1.5.5, of which only the shortest form is taken; `nil` while it is not all there.
    @inline(__always)
    static func variableInteger(
        in bytes: Span<UInt8>, at position: inout Int, to end: Int
    ) throws(WireError) -> Int? {
        var value = 0
        for digit in 0..<4 {
            guard position < end else { return nil }
            let byte = bytes[position]
            position += 1
            value |= Int(byte & 0x7F) << (7 * digit)
            guard byte & 0x80 == 0 else { continue }
            guard digit == 0 || byte != 0 else { throw .malformed }
            return value
        }
        throw .malformed
    }
}
