/// A frame of a WebSocket (RFC 6455 §5.2).
struct SocketFrame {
    enum Kind {
        case text, ping, close, other
    }

    let kind: Kind
    /// Where its payload lies in what was read.
    let payload: Range<Int>

    /// The server's frame that begins at `start`; `nil` while it is not whole.
    static func next(in bytes: borrowing [UInt8], from start: Int, to end: Int) -> SocketFrame? {
        guard end >= start + 2 else { return nil }
        let short = Int(bytes[start + 1] & 0x7F)
        let width = short == 126 ? 2 : short == 127 ? 8 : 0
        let payloadAt = start + 2 + width
        guard end >= payloadAt else { return nil }
        var length = width == 0 ? short : 0
        for index in (start + 2)..<payloadAt { length = length << 8 | Int(bytes[index]) }
        guard length >= 0, end - payloadAt >= length else { return nil }
        let kind: Kind =
            switch bytes[start] & 0x0F {
            case 0x1: .text
            case 0x8: .close
            case 0x9: .ping
            default: .other
            }
        return SocketFrame(kind: kind, payload: payloadAt..<(payloadAt + length))
    }

    /// The answer to a ping without payload, masked with zeros.
    static let pong: [UInt8] = [0x8A, 0x80, 0, 0, 0, 0]

    /// A client's text, masked with zeros, which change nothing.
    static func text(_ payload: [UInt8]) -> [UInt8] {
        let wide = payload.count > 125
        let length =
            wide
            ? [0xFE, UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF)] : [0x80 | UInt8(payload.count)]
        return [0x81] + length + [0, 0, 0, 0] + payload
    }
}
