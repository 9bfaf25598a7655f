/// One frame of a WebSocket (RFC 6455 §5.2), as clients send it and servers do.
package struct WebSocketFrame: Hashable, Sendable {
    package enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    package var opcode: Opcode
    package var payload: [UInt8]
    package var isFinal: Bool

    package init(_ opcode: Opcode, _ payload: [UInt8] = [], isFinal: Bool = true) {
        (self.opcode, self.payload, self.isFinal) = (opcode, payload, isFinal)
    }

    package static func text(_ text: String) -> WebSocketFrame { WebSocketFrame(.text, Array(text.utf8)) }

    /// - Parameter isMasked: as a client's must be; the mask is zeros, which change nothing.
    package func bytes(isMasked: Bool = true) -> [UInt8] {
        let count = payload.count
        let (marker, width) = count < 126 ? (count, 0) : count < 65_536 ? (126, 2) : (127, 8)
        let length = (0..<width).map { UInt8(truncatingIfNeeded: count >> (8 * (width - 1 - $0))) }
        let first = opcode.rawValue | (isFinal ? 0x80 : 0)
        return [first, UInt8(marker) | (isMasked ? 0x80 : 0)] + length + (isMasked ? [0, 0, 0, 0] : []) + payload
    }

    /// The first frame of a server's bytes, and what follows it; `nil` while it is not whole.
    ///
    /// - Throws: ``FrameError`` for an opcode that there is not, and for a masked frame.
    package static func first(of bytes: ArraySlice<UInt8>) throws -> (frame: WebSocketFrame, rest: ArraySlice<UInt8>)? {
        var rest = bytes
        guard let first = rest.popFirst(), let second = rest.popFirst() else { return nil }
        guard let opcode = Opcode(rawValue: first & 0x0F), second & 0x80 == 0 else { throw FrameError() }
        var count = Int(second)
        if let width = [126: 2, 127: 8][count] {
            guard rest.count >= width else { return nil }
            count = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(width)
        }
        guard rest.count >= count else { return nil }
        return (WebSocketFrame(opcode, Array(rest.prefix(count)), isFinal: first & 0x80 != 0), rest.dropFirst(count))
    }

    /// Of a close frame (§5.5.1).
    package var closeCode: Int? {
        guard opcode == .close, payload.count >= 2 else { return nil }
        return Int(payload[0]) << 8 | Int(payload[1])
    }
}

/// What a server must not send.
package struct FrameError: Error {
    package init() {}
}
