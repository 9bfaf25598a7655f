import MQTTPackets

/// One packet's bytes, whose fields are read from first to last.
package struct PacketFields {
    private let bytes: [UInt8]
    private var cursor: PacketCursor

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        cursor = PacketCursor(bytes.indices)
    }

    package var isAtEnd: Bool { cursor.isAtEnd }

    /// Removes the first whole packet from `input`; `nil` while none is whole.
    ///
    /// - Parameter longest: of the fields, in bytes.
    package static func removePacket(
        from input: inout [UInt8], longest: Int = PacketHeader.longestBody
    ) throws(WireError) -> (header: UInt8, body: [UInt8])? {
        let found = try PacketHeader.read(in: input.span, from: 0, to: input.count, longest: longest)
        guard let found, found.body.upperBound <= input.count else { return nil }
        let body = Array(input[found.body])
        input.removeFirst(found.body.upperBound)
        return (found.first, body)
    }

    package mutating func byte() throws(WireError) -> UInt8 {
        let bytes = bytes
        return try cursor.byte(in: bytes.span)
    }

    package mutating func word() throws(WireError) -> UInt16 {
        let bytes = bytes
        return try cursor.word(in: bytes.span)
    }

    package mutating func text() throws(WireError) -> String {
        let bytes = bytes
        return String(decoding: bytes[try cursor.field(in: bytes.span)], as: UTF8.self)
    }

    package mutating func rest() -> [UInt8] {
        defer { cursor = PacketCursor(bytes.count..<bytes.count) }
        return Array(bytes[cursor.rest])
    }

    package mutating func properties() throws(WireError) -> PacketProperties {
        let bytes = bytes
        return try PacketProperties(in: bytes.span, at: &cursor)
    }

    package subscript(_ place: Range<Int>) -> [UInt8] { Array(bytes[place]) }
}
