/// A client's WebSocket frames (RFC 6455 §5.2), byte by byte, good and bad.
enum ClientStream {
    static func frame(
        _ payload: [UInt8], opcode: UInt8 = 2, isFinal: Bool = true, mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    ) -> [UInt8] {
        header(payload.count, opcode: opcode, isFinal: isFinal) + mask
            + payload.enumerated().map { $0.element ^ mask[$0.offset & 3] }
    }

    /// What stands before the mask.
    static func header(_ length: Int, opcode: UInt8 = 2, isFinal: Bool = true) -> [UInt8] {
        let first = opcode | (isFinal ? 0x80 : 0)
        let (marker, width) = length < 126 ? (length, 0) : length < 65_536 ? (126, 2) : (127, 8)
        return [first, 0x80 | UInt8(marker)]
            + (0..<width).map { UInt8(truncatingIfNeeded: length >> (8 * (width - 1 - $0))) }
    }

    static func close(_ code: UInt16?) -> [UInt8] {
        frame(code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? [], opcode: 8)
    }
}
