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

    package init() {}

    /// A binary frame (5.2), masked with zeros, which change nothing.
    package static func frame(_ payload: [UInt8]) -> [UInt8] {
        let (marker, width) = payload.count < 126 ? (payload.count, 0) : payload.count < 65_536 ? (126, 2) : (127, 8)
        let length = (0..<width).map { UInt8(truncatingIfNeeded: payload.count >> (8 * (width - 1 - $0))) }
        return [0x82, 0x80 | UInt8(marker)] + length + [0, 0, 0, 0] + payload
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
            // Data, and not what ends the connection.
            if input[position] & 0x08 == 0 { payloads += input[start..<(start + length)] }
            position = start + length
        }
        input.removeFirst(position)
        return payloads
    }
}
