/// The frames of a WebSocket's client (RFC 6455 §5): what it sends is masked, and what it receives is not.
///
/// Its messages are a stream of bytes: MQTT pays no heed to where one ends (MQTT 5 §6).
struct WebSocketFrames {
    private var input: [UInt8] = []
    /// Answers to pings and to a close.
    private(set) var answers: [UInt8] = []
    private var isWithinMessage = false
    private var isClosed = false

    /// Of a frame that is received, in bytes: a door sends packets of a gateway's, in pieces.
    static let longest = 1 << 22

    private enum Opcode {
        static let (continuation, binary, close, ping, pong): (UInt8, UInt8, UInt8, UInt8, UInt8) =
            (0x0, 0x2, 0x8, 0x9, 0xA)
    }

    /// Takes what was received, in any pieces.
    ///
    /// - Returns: the bytes of its messages.
    /// - Throws: ``WebSocketError/closed`` once all that came before it was returned.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(WebSocketError) -> [UInt8] {
        if isClosed { throw .closed }
        input.append(contentsOf: bytes)
        var data: [UInt8] = []
        var position = 0
        while !isClosed, let frame = try frame(at: position) {
            position = frame.body.upperBound
            switch frame.opcode {
            case Opcode.binary where !isWithinMessage, Opcode.continuation where isWithinMessage:
                data += input[frame.body]
                isWithinMessage = !frame.isLast
            case Opcode.ping: answers += WebSocketFrames.frame(Opcode.pong, Array(input[frame.body]))
            case Opcode.pong: break
            case Opcode.close: isClosed = true
            default: throw .malformed
            }
        }
        input.removeFirst(position)
        if isClosed, data.isEmpty { throw .closed }
        return data
    }

    /// The answers that are to be sent, once.
    mutating func takeAnswers() -> [UInt8] {
        defer { answers = [] }
        return answers
    }

    /// A frame with bytes of the stream.
    static func data(_ bytes: [UInt8]) -> [UInt8] { frame(Opcode.binary, bytes) }

    /// The client's goodbye (§5.5.1): status 1000.
    static var close: [UInt8] { frame(Opcode.close, [0x03, 0xE8]) }

    private struct Header {
        let opcode: UInt8
        let isLast: Bool
        let body: Range<Int>
    }

    /// - Returns: `nil` while the frame is not all there.
    private func frame(at start: Int) throws(WebSocketError) -> Header? {
        guard input.count >= start + 2 else { return nil }
        let (first, second) = (input[start], input[start + 1])
        let (opcode, isLast) = (first & 0x0F, first & 0x80 != 0)
        let isControl = opcode & 0x08 != 0
        // No extension was agreed on, and a server masks nothing.
        guard first & 0x70 == 0, second & 0x80 == 0, !isControl || (isLast && second <= 125) else { throw .malformed }
        let digits =
            switch second {
            case 126: 2
            case 127: 8
            default: 0
            }
        var position = start + 2
        var length = Int(second)
        if digits > 0 {
            guard input.count >= position + digits else { return nil }
            guard input[position] & 0x80 == 0 || digits == 2 else { throw .malformed }
            length = input[position..<(position + digits)].reduce(0) { ($0 << 8) | Int($1) }
            position += digits
        }
        guard length <= WebSocketFrames.longest else { throw .malformed }
        guard input.count >= position + length else { return nil }
        return Header(opcode: opcode, isLast: isLast, body: position..<(position + length))
    }

    private static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = [0x80 | opcode]
        frame.reserveCapacity(payload.count + 14)
        switch payload.count {
        case ...125: frame.append(0x80 | UInt8(payload.count))
        case ...0xFFFF: frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            frame.append(0x80 | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                frame.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        // §5.3: from a strong source, for each frame.
        let mask = (0..<4).map { _ in UInt8.random(in: .min ... .max) }
        frame += mask
        for (index, byte) in payload.enumerated() { frame.append(byte ^ mask[index & 3]) }
        return frame
    }
}
