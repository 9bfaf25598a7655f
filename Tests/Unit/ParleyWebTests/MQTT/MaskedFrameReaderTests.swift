import TestSupport
import Testing

@testable import ParleyWeb

@Suite("Frames of a client are taken apart as they come")
struct MaskedFrameReaderTests {
    @Test("data comes out in order, whatever the frames and wherever the stream is cut", .seeded)
    func splits() throws {
        var random = Seeded(stream: 41)
        for _ in 0..<300 {
            let (stream, data) = try Self.stream(&random)
            var reader = MaskedFrameReader(longestMessage: 100_000)
            var found: [UInt8] = []
            var position = 0
            while position < stream.count {
                let end = min(stream.count, position + random.number(1...(random.chance(0.5) ? 3 : 5_000)))
                found += try reader.read(Array(stream[position..<end])).data
                position = end
            }
            #expect(found == data)
        }
    }

    private static func stream(_ random: inout Seeded) throws -> (stream: [UInt8], data: [UInt8]) {
        var (stream, data): ([UInt8], [UInt8]) = ([], [])
        for _ in 0..<random.number(1...6) {
            let payload = random.bytes(count: try random.element([0, 1, 125, 126, 127, 3_000, 65_535, 65_536]))
            data += payload
            let cut = random.number(0...payload.count)
            let isFragmented = random.chance(0.5)
            let ping = random.chance(0.5) ? ClientStream.frame(random.bytes(0...125), opcode: 9) : []
            stream +=
                isFragmented
                ? ClientStream.frame(Array(payload[..<cut]), isFinal: false, mask: random.bytes(count: 4)) + ping
                    + ClientStream.frame(Array(payload[cut...]), opcode: 0, mask: random.bytes(count: 4))
                : ping + ClientStream.frame(payload, mask: random.bytes(count: 4))
        }
        return (stream, data)
    }

    @Test("a ping is told with its payload, the last of several alone; a pong is passed over")
    func pings() throws {
        var reader = MaskedFrameReader(longestMessage: 10)
        let contents = try reader.read(
            ClientStream.frame([1], opcode: 9) + ClientStream.frame([2, 3], opcode: 9)
                + ClientStream.frame([9], opcode: 10) + ClientStream.frame([7]))
        #expect(contents.ping == [2, 3] && contents.data == [7] && contents.close == nil)
    }

    @Test("a close frame ends the stream: what comes behind it is not read")
    func closing() throws {
        for code in [nil, 1000, 4999] as [UInt16?] {
            var reader = MaskedFrameReader(longestMessage: 10)
            let contents = try reader.read(
                ClientStream.frame([7]) + ClientStream.close(code) + ClientStream.frame([8]))
            #expect(contents.data == [7] && contents.close == .init(code: code))
        }
    }

    static let faults: [(String, [UInt8], MQTTRefusal)] = [
        ("a text frame", ClientStream.frame([0x61], opcode: 1), .textFrame),
        ("a frame without a mask", [0x82, 1, 7], .protocolError),
        ("a reserved bit", [0xC2, 0x80, 0, 0, 0, 0], .protocolError),
        ("an unknown opcode", ClientStream.frame([1], opcode: 3), .protocolError),
        ("an unknown control opcode", ClientStream.frame([1], opcode: 11), .protocolError),
        ("a continuation of nothing", ClientStream.frame([1], opcode: 0), .protocolError),
        (
            "a message within a message", ClientStream.frame([1], isFinal: false) + ClientStream.frame([1]),
            .protocolError
        ),
        ("a ping in fragments", ClientStream.frame([1], opcode: 9, isFinal: false), .protocolError),
        ("a ping of 126 bytes", ClientStream.frame([UInt8](repeating: 1, count: 126), opcode: 9), .protocolError),
        ("two bytes of length for 125", [0x82, 0xFE, 0, 125, 0, 0, 0, 0], .protocolError),
        ("eight bytes of length for 65,535", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0], .protocolError),
        ("the largest length", [0x82] + [UInt8](repeating: 0xFF, count: 9) + [0, 0, 0, 0], .protocolError),
        ("1 GB", ClientStream.header(1 << 30) + [0, 0, 0, 0], .tooLong),
        ("one byte more than there may be", ClientStream.header(1001) + [0, 0, 0, 0], .tooLong),
        (
            "one byte more in two frames",
            ClientStream.frame([UInt8](repeating: 1, count: 1000), isFinal: false) + ClientStream.frame([1], opcode: 0),
            .tooLong
        ),
        ("a close frame of one byte", ClientStream.frame([1], opcode: 8), .protocolError),
        ("a close code that is never sent", ClientStream.close(1005), .protocolError),
    ]

    @Test("what breaks the rules is refused, wherever the stream is cut", arguments: 0..<faults.count)
    func violations(_ number: Int) {
        let (name, stream, refusal) = Self.faults[number]
        for step in [1, 3, stream.count] {
            var reader = MaskedFrameReader(longestMessage: 1000)
            #expect(throws: refusal, "\(name), \(step) at a time") {
                for start in stride(from: 0, to: stream.count, by: step) {
                    _ = try reader.read(Array(stream[start..<min(stream.count, start + step)]))
                }
            }
        }
    }

    @Test("a frame is refused by its header, before its payload has come")
    func early() {
        var reader = MaskedFrameReader(longestMessage: 1000)
        #expect(throws: MQTTRefusal.tooLong) { try reader.read(ClientStream.header(1 << 40) + [0, 0, 0, 0]) }
    }

    @Test("random bytes are read or refused", .seeded)
    func random() {
        var random = Seeded(stream: 42)
        for _ in 0..<2_000 {
            var reader = MaskedFrameReader(longestMessage: 1000)
            while let contents = try? reader.read(random.bytes(1...40)), contents.close == nil {}
        }
    }
}

extension MaskedFrameReader {
    /// What was in one piece: the data, and what else there was.
    mutating func read(
        _ piece: [UInt8]
    ) throws(MQTTRefusal) -> (data: [UInt8], ping: [UInt8]?, close: MaskedFrameReader.Close?) {
        var bytes = piece
        var span = bytes.mutableSpan
        let contents = try read(&span)
        return (Array(bytes.prefix(contents.count)), contents.ping, contents.close)
    }
}
