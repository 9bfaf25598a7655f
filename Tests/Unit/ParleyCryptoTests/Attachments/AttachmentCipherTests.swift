import ParleyCrypto
import Sodium
import TestSupport
import Testing

@Suite("Sealed attachments", .seeded)
struct AttachmentCipherTests {
    static let chunk = AttachmentCipher.chunkLength
    static let sealedChunk = chunk + 17

    /// By another library than the one that the seal's is made with.
    static func digest(of bytes: [UInt8]) throws -> [UInt8] { try SHA256.hash(bytes.span) }

    @Test(
        "an attachment of any size opens again, and its seal says its size and its digest",
        arguments: [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 100])
    func sizes(size: Int) throws {
        let content = bytes(size, seed: UInt64(size))
        let (seal, sealed) = try sealAll(content)
        #expect(seal.size == size)
        #expect(seal.sealedSize == sealed.count)
        #expect(try seal.digest == Self.digest(of: sealed))
        #expect(try openAll(sealed, by: seal) == content)
    }

    @Test("pieces of any length, in and out, make no difference")
    func pieces() throws {
        var random = Seeded(stream: 480)
        for _ in 0..<20 {
            let content = bytes(Int.random(in: 0...(3 * Self.chunk), using: &random), seed: random.next())
            let (seal, sealed) = try sealAll(content, pieces: 1...Int.random(in: 1...100_000, using: &random))
            #expect(try openAll(sealed, by: seal) == content)
            let again = try openAll(sealed, by: seal, pieces: 1...Int.random(in: 1...100_000, using: &random))
            #expect(again == content)
        }
    }

    @Test("each attachment has a key and a header of its own")
    func fresh() throws {
        let (one, other) = (try sealAll([1, 2, 3]), try sealAll([1, 2, 3]))
        #expect(one.seal.key != other.seal.key)
        #expect(one.sealed.prefix(24) != other.sealed.prefix(24))
        #expect(throws: AttachmentError.notAuthentic) { try openAll(one.sealed, by: other.seal) }
    }

    @Test("no bit of a small attachment can be changed", arguments: [0, 1, 60])
    func flippedBits(size: Int) throws {
        let (seal, sealed) = try sealAll(bytes(size))
        for bit in 0..<sealed.count * 8 {
            #expect(throws: AttachmentError.notAuthentic, "bit \(bit)") { try openAll(sealed.flipping(bit), by: seal) }
        }
    }

    @Test("no bit of a large attachment can be changed")
    func flippedBitsOfLarge() throws {
        var random = Seeded(stream: 481)
        let (seal, sealed) = try sealAll(bytes(2 * Self.chunk + 5))
        for _ in 0..<50 {
            let bit = Int.random(in: 0..<sealed.count * 8, using: &random)
            #expect(throws: AttachmentError.notAuthentic, "bit \(bit)") { try openAll(sealed.flipping(bit), by: seal) }
        }
    }

    @Test("a small attachment that is cut short is refused at every length", arguments: [0, 1, 60])
    func truncation(size: Int) throws {
        let (seal, sealed) = try sealAll(bytes(size))
        for length in sealed.indices {
            #expect(throws: AttachmentError.truncated, "\(length) bytes") {
                try openAll(Array(sealed[..<length]), by: seal)
            }
        }
    }

    @Test("an attachment of several chunks that is cut short is refused, between chunks and inside them")
    func truncationOfLarge() throws {
        let (seal, sealed) = try sealAll(bytes(2 * Self.chunk + 5))
        let ends = [0, 1, 2].map { 24 + $0 * Self.sealedChunk }
        for length in ends.flatMap({ [$0 - 1, $0, $0 + 1, $0 + 16, $0 + 17, $0 + 18] }) where length < sealed.count {
            #expect(throws: AttachmentError.truncated, "\(length) bytes") {
                try openAll(Array(sealed[..<length]), by: seal)
            }
        }
    }

    @Test(
        "bytes that follow the last chunk are refused", arguments: [0, 60, chunk - 1, chunk, chunk + 1],
        [1, 17, sealedChunk])
    func trailingBytes(size: Int, more: Int) throws {
        let (seal, sealed) = try sealAll(bytes(size))
        #expect(throws: AttachmentError.trailingBytes) {
            try openAll(sealed + [UInt8](repeating: 0, count: more), by: seal)
        }
    }

    @Test("chunks that are swapped, repeated, left out or of another attachment are refused")
    func movedChunks() throws {
        let (seal, sealed) = try sealAll(bytes(3 * Self.chunk + 5))
        let other = try sealAll(bytes(3 * Self.chunk + 5)).sealed
        func chunk(_ index: Int, of file: [UInt8]? = nil) -> [UInt8] {
            Array((file ?? sealed).dropFirst(24 + index * Self.sealedChunk).prefix(Self.sealedChunk))
        }
        let header = Array(sealed.prefix(24))
        #expect(try openAll(header + chunk(0) + chunk(1) + chunk(2) + chunk(3), by: seal).count == seal.size)
        for order in [[1, 0, 2, 3], [0, 0, 2, 3], [1, 2, 3]] {
            let changed = header + order.flatMap { chunk($0) }
            #expect(throws: AttachmentError.notAuthentic) { try openAll(changed, by: seal) }
        }
        let foreign = header + chunk(0) + chunk(1, of: other) + chunk(2)
        #expect(throws: AttachmentError.notAuthentic) { try openAll(foreign + chunk(3), by: seal) }
        let otherHeader = Array(other.prefix(24)) + sealed.dropFirst(24)
        #expect(throws: AttachmentError.notAuthentic) { try openAll(otherHeader, by: seal) }
    }

    @Test("another attachment under the same key is not the one that the message names")
    func anotherUnderTheSameKey() throws {
        let (seal, sealed) = try sealAll([1, 2, 3])
        let forged = try stream([([9, 9, 9], .final)], key: seal.key)
        #expect(try openAll(sealed, by: seal) == [1, 2, 3])
        #expect(throws: AttachmentError.wrongDigest) { try openAll(forged, by: seal) }
        let honest = try AttachmentSeal(key: seal.key, digest: Self.digest(of: forged), size: 3)
        #expect(try openAll(forged, by: honest) == [9, 9, 9])
    }

    @Test("a sender's stream that is cut up in another way is refused, and nothing beyond its size handed out")
    func otherStreams() throws {
        let key = [UInt8](repeating: 4, count: 32)
        func judge(_ chunks: [([UInt8], SecretStream.Tag)], size: Int) throws -> [UInt8] {
            let sealed = try stream(chunks, key: key)
            return try openAll(
                sealed, by: .init(key: key, digest: Self.digest(of: sealed), size: size))
        }
        let full = bytes(Self.chunk)
        #expect(try judge([(full, .message), ([1], .final)], size: Self.chunk + 1) == full + [1])
        #expect(throws: AttachmentError.notAuthentic) {
            try judge([(full, .message), ([], .final)], size: Self.chunk)
        }
        #expect(throws: AttachmentError.notAuthentic) { try judge([([1], .message)], size: 1) }
        #expect(throws: AttachmentError.notAuthentic) {
            try judge([(full, .rekey), ([1], .final)], size: Self.chunk + 1)
        }
        #expect(throws: AttachmentError.notAuthentic) {
            try judge([(full, .push), ([1], .final)], size: Self.chunk + 1)
        }
        #expect(throws: AttachmentError.truncated) { try judge([(full, .message)], size: Self.chunk) }
        #expect(throws: AttachmentError.wrongSize) { try judge([([1, 2], .final)], size: 1) }
        #expect(throws: AttachmentError.wrongSize) { try judge([([1, 2], .final)], size: 3) }
    }

    @Test("a seal whose key, digest or size cannot be is refused", arguments: [0, 31, 33])
    func seals(count: Int) throws {
        let (good, odd) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 1, count: count))
        #expect(throws: AttachmentError.malformedSeal) { try AttachmentSeal(key: odd, digest: good, size: 1) }
        #expect(throws: AttachmentError.malformedSeal) { try AttachmentSeal(key: good, digest: odd, size: 1) }
        for size in [-1, Int.min, AttachmentSeal.maximumSize + 1, Int.max] {
            #expect(throws: AttachmentError.malformedSeal) { try AttachmentSeal(key: good, digest: good, size: size) }
        }
        for size in [0, AttachmentSeal.maximumSize] {
            let seal = try AttachmentSeal(key: good, digest: good, size: size)
            #expect(seal.sealedSize > seal.size)
            #expect("\(seal)" == "AttachmentSeal(\(size) bytes)")
        }
    }

    @Test("what a closure throws ends the work at once")
    func interruption() throws {
        struct EnoughError: Error {}
        let (seal, sealed) = try sealAll(bytes(3 * Self.chunk))
        var calls = 0
        func stop(_ done: Int) throws {
            calls += 1
            if done >= 2 * Self.chunk { throw EnoughError() }
        }
        #expect(throws: EnoughError.self) { try openAll(sealed, by: seal, progress: stop) }
        #expect(throws: EnoughError.self) { try sealAll(bytes(3 * Self.chunk), progress: stop) }
        #expect(calls == 4)
    }

    @Test("the codes of the failures differ")
    func codes() {
        let all: [AttachmentError] = [
            .malformedSeal, .truncated, .notAuthentic, .trailingBytes, .wrongDigest, .wrongSize,
        ]
        #expect(Set(all.map(\.code)).count == all.count)
        #expect(Set(all.map(\.description)).count == all.count)
    }
}

/// As many bytes as asked for, the same for the same seed.
private func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = Seeded(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
        let value = random.next()
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }
    return Array(bytes.prefix(count))
}

/// Gives an array out in pieces.
private struct Pieces {
    let bytes: [UInt8]
    let lengths: ClosedRange<Int>
    var position = 0
    private var random = Seeded(stream: 482)

    init(bytes: [UInt8], lengths: ClosedRange<Int>) {
        self.bytes = bytes
        self.lengths = lengths
    }

    mutating func next(into target: inout OutputSpan<UInt8>) {
        let count = min(target.freeCapacity, bytes.count - position, random.number(lengths))
        for index in 0..<count { target.append(bytes[position + index]) }
        position += count
    }
}

private func sealAll(
    _ content: [UInt8], pieces: ClosedRange<Int> = 1_000_000...1_000_000,
    progress: AttachmentCipher.Progress = { _ in }
) throws -> (seal: AttachmentSeal, sealed: [UInt8]) {
    var source = Pieces(bytes: content, lengths: pieces)
    var sealed: [UInt8] = []
    let seal = try AttachmentCipher.seal(
        from: { target in source.next(into: &target) }, to: { append($0, to: &sealed) }, progress: progress)
    return (seal, sealed)
}

private func openAll(
    _ sealed: [UInt8], by seal: AttachmentSeal, pieces: ClosedRange<Int> = 1_000_000...1_000_000,
    progress: AttachmentCipher.Progress = { _ in }
) throws -> [UInt8] {
    var source = Pieces(bytes: sealed, lengths: pieces)
    var opened: [UInt8] = []
    defer { #expect(opened.count <= seal.size) }
    try AttachmentCipher.open(
        seal, from: { target in source.next(into: &target) }, to: { append($0, to: &opened) }, progress: progress)
    return opened
}

/// A stream that somebody who has the key cut up as they liked.
private func stream(_ chunks: [([UInt8], SecretStream.Tag)], key: [UInt8]) throws -> [UInt8] {
    var encryptor = try SecretStream.Encryptor(key: key.span)
    var sealed = encryptor.header
    let nothing: [UInt8] = []
    for (chunk, tag) in chunks {
        var output = [UInt8](repeating: 0, count: chunk.count + SecretStream.chunkOverhead)
        var target = output.mutableSpan
        try encryptor.seal(chunk.span, as: tag, additionalData: nothing.span, into: &target)
        sealed += output
    }
    return sealed
}

private func append(_ bytes: Span<UInt8>, to array: inout [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe array.append(contentsOf: $0) }
}
