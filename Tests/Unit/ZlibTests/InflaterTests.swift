import TestSupport
import Testing
import Zlib

@Suite("Decompressing zlib streams")
struct InflaterTests {
    /// A compressed stream: what gzip has between its header of 10 bytes and its end of 8, in the frame of zlib.
    private static func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
        let gzip = try #require(Gzip.compress(bytes))
        return [0x78, 0x9C] + gzip.dropFirst(10).dropLast(8) + PNGFile.adler32(bytes)
    }

    /// Decompresses with so much room, and so much of the stream at once.
    private func inflated(_ stream: [UInt8], room: Int, part: Int) throws(InflateError) -> [UInt8]? {
        var inflater = try Inflater()
        var output: [UInt8] = []
        var rest = stream[...]
        var input: ArraySlice<UInt8> = []
        while !inflater.isAtEnd {
            var buffer = [UInt8](repeating: 0xAA, count: room + 1)
            // All but the last byte are filled before.
            let end = try inflater.inflate(&input, into: &buffer, from: 1)
            #expect(buffer[0] == 0xAA && end <= room + 1)
            output += buffer[1..<end]
            guard end == 1, input.isEmpty else { continue }
            if inflater.isAtEnd { break }
            if rest.isEmpty { return nil }
            input = rest.prefix(part)
            rest = rest.dropFirst(part)
        }
        return output
    }

    @Test(
        "a stream is the same however it is cut and whatever room there is", arguments: [1, 7, 4096], [1, 3, 10_000])
    func cut(room: Int, part: Int) throws {
        let bytes = (0..<9000).map { UInt8(truncatingIfNeeded: $0 / 50) }
        #expect(try inflated(PNGFile.stored(bytes), room: room, part: part) == bytes)
        #expect(try inflated(try Self.compressed(bytes), room: room, part: part) == bytes)
    }

    @Test("what is no stream, or not the one of its checksum, is damaged, and one that is cut off does not end")
    func damaged() throws {
        let bytes = [UInt8](repeating: 7, count: 500)
        for stream in [PNGFile.stored(bytes), try Self.compressed(bytes)] {
            for count in 0..<stream.count {
                #expect(try inflated(Array(stream[..<count]), room: 64, part: 5) == nil, "cut at \(count)")
            }
            for index in stream.indices {
                var flipped = stream
                flipped[index] ^= 0x41
                let result = Result { () throws(InflateError) in try inflated(flipped, room: 64, part: 5) }
                #expect(result != .success(bytes), "byte \(index)")
            }
        }
        #expect(throws: InflateError.damaged) { try inflated([0x1F, 0x8B, 8, 0], room: 1, part: 4) }
        #expect(throws: InflateError.damaged) { try inflated([0x78, 0x20, 0, 0, 0, 1], room: 1, part: 6) }
    }

    @Test("a stream that would fill the memory fills the room that it is given")
    func bomb() throws {
        // 8 MiB of zeros in 8 KiB.
        var input = try Self.compressed([UInt8](repeating: 0, count: 1 << 23))[...]
        #expect(input.count < 1 << 14)
        var inflater = try Inflater()
        var room = [UInt8](repeating: 1, count: 100)
        #expect(try inflater.inflate(&input, into: &room, from: 0) == 100)
        #expect(room.allSatisfy { $0 == 0 } && !inflater.isAtEnd && input.count > 4000)
        #expect(try inflater.inflate(&input, into: &room, from: 100) == 100)
    }

    @Test("a checksum is the one that the specification prints, and that of other code")
    func checksum() {
        #expect(CRC32.of(Array("123456789".utf8)[...]) == 0xCBF4_3926)
        #expect(CRC32.of([]) == 0)
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(CRC32.of(bytes[10..<900]) == PNGFile.crc32(Array(bytes[10..<900])))
    }
}
