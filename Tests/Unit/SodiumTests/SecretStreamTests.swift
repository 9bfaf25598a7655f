import Sodium
import TestSupport
import Testing

@Suite("Secret streams")
struct SecretStreamTests {
    static let key = [UInt8](repeating: 5, count: 32)

    struct Chunk: Hashable {
        var bytes: [UInt8]
        var tag: SecretStream.Tag
        var data: [UInt8] = []
    }

    @Test("the streams of the public vectors open chunk by chunk, and in no other order", .vectors)
    func vectors() throws {
        let streams = try Vectors.jsonArray("libsodium_pynacl/secretstream-test-vectors.json")
        var judged = 0
        for stream in streams {
            let (key, header) = (try stream.bytes("key"), try stream.bytes("header"))
            let chunks = try #require(stream["chunks"] as? [[String: Any]])
            let sealed = try chunks.map {
                Chunk(bytes: try $0.bytes("ciphertext"), tag: .message, data: try $0.bytes("ad"))
            }
            let expected = try chunks.map { chunk in
                let tag = try #require((chunk["tag"] as? Int).flatMap { SecretStream.Tag(rawValue: UInt8($0)) })
                return Chunk(bytes: try chunk.bytes("message"), tag: tag, data: try chunk.bytes("ad"))
            }
            #expect(try open(sealed, header: header, key: key) == expected)
            if sealed.count > 1 {
                #expect(throws: SodiumError.notAuthentic) { try open(sealed.reversed(), header: header, key: key) }
            }
            judged += chunks.count
        }
        print("secretstream: \(judged) chunks opened")
        #expect(judged > 0)
    }

    @Test("what was sealed opens with its tags and data; left out, repeated, swapped or changed it does not")
    func roundTrip() throws {
        let chunks: [Chunk] = [
            .init(bytes: [], tag: .message), .init(bytes: [1, 2, 3], tag: .rekey, data: [9]),
            .init(bytes: [UInt8](repeating: 7, count: 1000), tag: .push), .init(bytes: [4], tag: .final),
        ]
        let (header, sealed) = try seal(chunks)
        #expect(try open(sealed, header: header) == chunks)
        var swapped = sealed
        swapped.swapAt(0, 1)
        for changed in [Array(sealed.dropFirst()), [sealed[0], sealed[0]], swapped, [sealed[1]]] {
            #expect(throws: SodiumError.notAuthentic) { try open(changed, header: header) }
        }
        for bytes in variants(of: sealed[0].bytes) {
            #expect(throws: SodiumError.notAuthentic) { try open([.init(bytes: bytes, tag: .message)], header: header) }
        }
        var otherData = sealed
        otherData[1].data = [8]
        #expect(throws: SodiumError.notAuthentic) { try open(otherData, header: header) }
        #expect(throws: SodiumError.notAuthentic) { try open(sealed, header: seal(chunks).header) }
        #expect(throws: SodiumError.notAuthentic) {
            try open(sealed, header: header, key: [UInt8](repeating: 6, count: 32))
        }
    }

    @Test("a key or header of another length is refused, and an output without room", arguments: [0, 23, 25, 31, 33])
    func lengths(count: Int) throws {
        let odd = [UInt8](repeating: 1, count: count)
        #expect(throws: SodiumError.wrongLength(expected: 32, actual: count)) { try seal([], key: odd) }
        #expect(throws: SodiumError.wrongLength(expected: 24, actual: count)) { try open([], header: odd) }
        let header = try seal([]).header
        #expect(throws: SodiumError.wrongLength(expected: 32, actual: count)) {
            try open([], header: header, key: odd)
        }
        let tooShort = min(count, 16)
        #expect(throws: SodiumError.wrongLength(expected: 17, actual: tooShort)) { try sealNothing(into: tooShort) }
        try sealNothing(into: 17 + count)
        #expect(throws: SodiumError.wrongLength(expected: 4, actual: 3)) { try openFourBytes(into: 3) }
        try openFourBytes(into: 4 + count)
    }

    private func sealNothing(into count: Int) throws {
        var encryptor = try SecretStream.Encryptor(key: Self.key.span)
        let nothing: [UInt8] = []
        var output = [UInt8](repeating: 0, count: count)
        var target = output.mutableSpan
        try encryptor.seal(nothing.span, as: .final, additionalData: nothing.span, into: &target)
    }

    private func openFourBytes(into count: Int) throws {
        let (header, sealed) = try seal([.init(bytes: [1, 2, 3, 4], tag: .final)])
        var decryptor = try SecretStream.Decryptor(header: header.span, key: Self.key.span)
        let (chunk, nothing): ([UInt8], [UInt8]) = (sealed[0].bytes, [])
        var output = [UInt8](repeating: 0, count: count)
        var target = output.mutableSpan
        _ = try decryptor.open(chunk.span, additionalData: nothing.span, into: &target)
    }

    private func seal(_ chunks: [Chunk], key: [UInt8] = key) throws -> (header: [UInt8], sealed: [Chunk]) {
        var encryptor = try SecretStream.Encryptor(key: key.span)
        var sealed: [Chunk] = []
        for chunk in chunks {
            var output = [UInt8](repeating: 0, count: chunk.bytes.count + SecretStream.chunkOverhead)
            var target = output.mutableSpan
            try encryptor.seal(chunk.bytes.span, as: chunk.tag, additionalData: chunk.data.span, into: &target)
            sealed.append(Chunk(bytes: output, tag: .message, data: chunk.data))
        }
        return (encryptor.header, sealed)
    }

    private func open(_ chunks: [Chunk], header: [UInt8], key: [UInt8] = key) throws -> [Chunk] {
        var decryptor = try SecretStream.Decryptor(header: header.span, key: key.span)
        var opened: [Chunk] = []
        for chunk in chunks {
            var output = [UInt8](repeating: 0, count: max(0, chunk.bytes.count - SecretStream.chunkOverhead))
            var target = output.mutableSpan
            let tag = try decryptor.open(chunk.bytes.span, additionalData: chunk.data.span, into: &target)
            opened.append(Chunk(bytes: output, tag: tag, data: chunk.data))
        }
        return opened
    }
}
