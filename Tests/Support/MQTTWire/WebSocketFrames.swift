/// As much of WebSocket (RFC 6455) as a client of MQTT needs.
package struct WebSocketFrames {
    package static let request = Array(
        """
        GET /mqtt HTTP/1.1\r
        Host: localhost\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Protocol: mqtt\r
        \r

        """.utf8)

    private var input: [UInt8] = []
    package private(set) var isUpgraded = false
    /// The code of the server's close frame (5.5.1).
    package private(set) var closeCode: UInt16?
    package private(set) var pongs: [[UInt8]] = []

    package init() {}

    /// A binary frame (5.2), masked with zeros, which change nothing.
    package static func frame(_ payload: [UInt8]) -> [UInt8] { header(0x82, length: payload.count) + payload }

    /// What stands before a payload: with the mask of zeros.
    ///
    /// - Parameter first: 0x80 for the last frame of a message, and the opcode.
    package static func header(_ first: UInt8, length count: Int) -> [UInt8] {
        let (marker, width) = count < 126 ? (count, 0) : count < 65_536 ? (126, 2) : (127, 8)
        let length = (0..<width).map { UInt8(truncatingIfNeeded: count >> (8 * (width - 1 - $0))) }
        return [first, 0x80 | UInt8(marker)] + length + [0, 0, 0, 0]
    }

    /// The payloads that have come with these bytes, of frames that are whole; the answer to the request comes before
    /// them.
    package mutating func feed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        input += bytes
        var payloads: [UInt8] = []
        if !isUpgraded {
            guard let end = input.indices.first(where: { input[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
                return []
            }
            input.removeFirst(end + 4)
            isUpgraded = true
        }
        var position = 0
        while input.count >= position + 2 {
            let width = [126: 2, 127: 8][input[position + 1]] ?? 0
            let start = position + 2 + width
            guard input.count >= start else { break }
            let length =
                width == 0
                ? Int(input[position + 1]) : input[(position + 2)..<start].reduce(0) { $0 << 8 | Int($1) }
            guard input.count >= start + length else { break }
            let payload = input[start..<(start + length)]
            switch input[position] & 0x0F {
            case 0x8 where payload.count >= 2: closeCode = UInt16(input[start]) << 8 | UInt16(input[start + 1])
            case 0xA: pongs.append(Array(payload))
            case 0x8, 0x9: break
            default: payloads += payload
            }
            position = start + length
        }
        input.removeFirst(position)
        return payloads
    }
}
