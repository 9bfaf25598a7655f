import Sodium
import TestSupport
import Testing

@Suite("Boxes")
struct BoxTests {
    static let nonce = [UInt8](repeating: 3, count: 24)
    static let key = [UInt8](repeating: 5, count: 32)

    @Test("a box of libsodium's own tests comes out as printed, from either side", .vectors)
    func boxVectors() throws {
        let file = try Vectors.json("libsodium_pynacl/box_secretbox_kat.json")
        let vector = try #require(file["box_easy"] as? [String: Any])
        let secret = try X25519.SecretKey(vector.bytes("alice_sk"))
        let shared = try Box.SharedKey(between: secret, and: .init(vector.bytes("bob_pk")))
        #expect(try shared.seal(vector.bytes("msg"), nonce: vector.bytes("nonce")) == vector.bytes("boxed"))
        let other = try Box.SharedKey(between: .init(hex(X25519Tests.bob)), and: secret.publicKey)
        #expect(try other.open(vector.bytes("boxed"), nonce: vector.bytes("nonce")) == vector.bytes("msg"))
    }

    @Test("a secret box of libsodium's own tests comes out as printed", .vectors)
    func secretBoxVectors() throws {
        let file = try Vectors.json("libsodium_pynacl/box_secretbox_kat.json")
        let vector = try #require(file["secretbox_easy"] as? [String: Any])
        let (key, nonce) = (try vector.bytes("key"), try vector.bytes("nonce"))
        #expect(try SecretBox.seal(vector.bytes("msg"), nonce: nonce, key: key) == vector.bytes("boxed"))
        #expect(try SecretBox.open(vector.bytes("boxed"), nonce: nonce, key: key) == vector.bytes("msg"))
    }

    @Test("the sealed boxes of PyNaCl open", .vectors)
    func sealedBoxVectors() throws {
        let lines = try Vectors.lines("libsodium_pynacl/sealed_box_ref.txt")
        var judged = 0
        for line in lines {
            let fields = line.split(separator: "\t")
            try #require(fields.count == 4)
            // The last two have their length in digits before a colon.
            let texts = fields.map { hex($0.split(separator: ":", omittingEmptySubsequences: false).last ?? "") }
            let secret = try X25519.SecretKey(texts[0])
            #expect(secret.publicKey.bytes == texts[1])
            #expect(try Box.openAnonymously(texts[3], with: secret) == texts[2])
            judged += 1
        }
        #expect(judged > 0)
    }

    @Test("what was changed, cut, or sealed for others does not open; what was not, does", arguments: [0, 1, 40])
    func changedBoxes(count: Int) throws {
        let message = [UInt8](repeating: 0xab, count: count)
        let (alice, bob) = (try X25519.SecretKey.generate(), try X25519.SecretKey.generate())
        let shared = try Box.SharedKey(between: alice, and: bob.publicKey)
        let stranger = try Box.SharedKey(between: .generate(), and: bob.publicKey)
        let (box, secretBox) = (
            try shared.seal(message, nonce: Self.nonce), try SecretBox.seal(message, nonce: Self.nonce, key: Self.key)
        )
        let sealedBox = try Box.sealAnonymously(message, to: bob.publicKey)
        #expect(try shared.open(box, nonce: Self.nonce) == message)
        #expect(try SecretBox.open(secretBox, nonce: Self.nonce, key: Self.key) == message)
        #expect(try Box.openAnonymously(sealedBox, with: bob) == message)

        #expect(throws: SodiumError.notAuthentic) { try stranger.open(box, nonce: Self.nonce) }
        #expect(throws: SodiumError.notAuthentic) { try Box.openAnonymously(sealedBox, with: alice) }
        for changed in variants(of: box) {
            #expect(throws: SodiumError.notAuthentic) { try shared.open(changed, nonce: Self.nonce) }
        }
        for changed in variants(of: secretBox) {
            #expect(throws: SodiumError.notAuthentic) {
                try SecretBox.open(changed, nonce: Self.nonce, key: Self.key)
            }
        }
        for changed in variants(of: sealedBox) {
            #expect(throws: SodiumError.notAuthentic) { try Box.openAnonymously(changed, with: bob) }
        }
    }

    @Test("a nonce or key of another length is refused", arguments: [0, 12, 23, 25, 31, 33])
    func lengths(count: Int) throws {
        let odd = [UInt8](repeating: 1, count: count)
        let (wrongNonce, wrongKey) = (
            SodiumError.wrongLength(expected: 24, actual: count), SodiumError.wrongLength(expected: 32, actual: count)
        )
        let shared = try Box.SharedKey(between: .generate(), and: X25519.SecretKey.generate().publicKey)
        let box = [UInt8](repeating: 0, count: 20)
        #expect(throws: wrongNonce) { try shared.seal([], nonce: odd) }
        #expect(throws: wrongNonce) { try shared.open(box, nonce: odd) }
        #expect(throws: wrongNonce) { try SecretBox.seal([], nonce: odd, key: Self.key) }
        #expect(throws: wrongNonce) { try SecretBox.open(box, nonce: odd, key: Self.key) }
        #expect(throws: wrongKey) { try SecretBox.seal([], nonce: Self.nonce, key: odd) }
        #expect(throws: wrongKey) { try SecretBox.open(box, nonce: Self.nonce, key: odd) }
    }
}

/// Everything that is one bit away from `bytes`, every beginning of it, and it with a byte more.
func variants(of bytes: [UInt8]) -> [[UInt8]] {
    let flipped = bytes.indices.flatMap { index in
        (0..<8).map { bit in
            var copy = bytes
            copy[index] ^= 1 << bit
            return copy
        }
    }
    return flipped + bytes.indices.map { Array(bytes[..<$0]) } + [bytes + [0]]
}
