import Testing

@testable import ParleyCurl

@Suite("The frames of a WebSocket's client")
struct WebSocketFramesTests {
    /// What a frame of the client's says to a server.
    private static func unmasked(_ frame: [UInt8]) throws -> (opcode: UInt8, payload: [UInt8]) {
        #expect(frame[0] & 0xF0 == 0x80 && frame[1] & 0x80 != 0)
        let digits = [126: 2, 127: 8][frame[1] & 0x7F] ?? 0
        let length =
            digits == 0 ? Int(frame[1] & 0x7F) : frame[2..<(2 + digits)].reduce(0) { ($0 << 8) | Int($1) }
        let mask = Array(frame[(2 + digits)..<(6 + digits)])
        let payload = frame[(6 + digits)...].enumerated().map { $0.element ^ mask[$0.offset % 4] }
        try #require(payload.count == length)
        return (frame[0] & 0x0F, payload)
    }

    @Test("what is sent is masked, at every form of its length", arguments: [0, 1, 125, 126, 65_535, 65_536])
    func sent(count: Int) throws {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let frame = try WebSocketFramesTests.unmasked(WebSocketFrames.data(payload))
        #expect(frame.opcode == 2 && frame.payload == payload)
        #expect(try WebSocketFramesTests.unmasked(WebSocketFrames.close).payload == [0x03, 0xE8])
    }

    @Test("messages are one stream of bytes, in whatever frames and pieces they come")
    func received() throws {
        let long = [UInt8](repeating: 7, count: 300)
        let bytes: [UInt8] =
            [0x82, 2, 1, 2] + [0x02, 1, 3] + [0x89, 2, 0x70, 0x71] + [0x00, 1, 4] + [0x80, 0] + [0x8A, 0]
            + [0x82, 126, 0x01, 0x2C] + long
        var whole = WebSocketFrames()
        #expect(try whole.receive(bytes) == [1, 2, 3, 4] + long)
        let pong = try WebSocketFramesTests.unmasked(whole.takeAnswers())
        #expect(pong.opcode == 0xA && pong.payload == [0x70, 0x71] && whole.takeAnswers().isEmpty)
        var pieces = WebSocketFrames()
        var collected: [UInt8] = []
        for byte in bytes { collected += try pieces.receive([byte]) }
        #expect(collected == [1, 2, 3, 4] + long)
    }

    @Test(
        "what no server may send ends it",
        arguments: [
            [0x81, 1, 0x41], [0x82, 0x81, 0, 0, 0, 0, 1], [0xC2, 0], [0x09, 0], [0x89, 126, 0, 126], [0x80, 0],
            [0x83, 0],
            [0x02, 0, 0x82, 0], [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], [0x82, 127, 0, 0, 0, 0, 0, 0x40, 0, 1],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        var frames = WebSocketFrames()
        #expect(throws: WebSocketError.malformed) { try frames.receive(bytes) }
    }

    @Test("a close is the end, of what came before it too, which is not lost")
    func closed() throws {
        let close: [UInt8] = [0x88, 2, 0x03, 0xE8]
        var frames = WebSocketFrames()
        #expect(throws: WebSocketError.closed) { try frames.receive(close) }
        var last = WebSocketFrames()
        // Such as a refusal, which a broker sends before it closes.
        #expect(try last.receive([0x82, 1, 9] + close + [0x82, 1, 8]) == [9])
        #expect(throws: WebSocketError.closed) { try last.receive([]) }
    }
}
