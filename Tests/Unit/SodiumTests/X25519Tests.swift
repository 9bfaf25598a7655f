import Sodium
import TestSupport
import Testing

@Suite("X25519")
struct X25519Tests {
    // Every point of order 1, 2, 4 and 8, with the spellings that are not reduced modulo 2^255 - 19.
    static let lowOrder = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]
    // RFC 7748 §6.1.
    static let alice = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
    static let bob = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"

    @Test("a key of low order is refused, with and without its unused top bit", arguments: lowOrder)
    func lowOrderKeys(text: String) {
        var key = hex(text)
        for _ in 0..<2 {
            #expect(X25519.isLowOrder(key))
            #expect(!X25519.acceptsPublicKey(key))
            #expect(throws: SodiumError.lowOrderKey) { try X25519.PublicKey(key) }
            key[31] |= 0x80
        }
    }

    @Test("a box from an ephemeral key of low order is refused, and one from an honest key opened", arguments: lowOrder)
    func lowOrderSealedBoxes(text: String) throws {
        let recipient = try X25519.SecretKey.generate()
        let honest = try Box.sealAnonymously([1, 2, 3], to: recipient.publicKey)
        #expect(try Box.openAnonymously(honest, with: recipient) == [1, 2, 3])
        // What such a sender would compute: a box under the key that comes of a secret of zero.
        let forged = hex(text) + honest.dropFirst(32)
        #expect(throws: SodiumError.notAuthentic) { try Box.openAnonymously(forged, with: recipient) }
    }

    @Test("the base point and a key of RFC 7748 are accepted")
    func goodKeys() throws {
        for text in ["09" + String(repeating: "00", count: 31), Self.bob] {
            #expect(X25519.acceptsPublicKey(hex(text)))
            #expect(try X25519.PublicKey(hex(text)).bytes == hex(text))
        }
    }

    @Test("a key or seed of another length is refused", arguments: [0, 1, 31, 33, 64])
    func lengths(count: Int) {
        let bytes = [UInt8](repeating: 9, count: count)
        let expected = SodiumError.wrongLength(expected: 32, actual: count)
        #expect(!X25519.acceptsPublicKey(bytes))
        #expect(throws: expected) { try X25519.PublicKey(bytes) }
        #expect(throws: expected) { try X25519.SecretKey(bytes) }
        #expect(throws: expected) { try X25519.SecretKey(seed: SecretBytes(copying: bytes)) }
    }

    @Test("two people agree on the secret of RFC 7748")
    func agreement() throws {
        let (alice, bob) = (try X25519.SecretKey(hex(Self.alice)), try X25519.SecretKey(hex(Self.bob)))
        #expect(alice.publicKey.bytes == hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
        #expect(bob.publicKey.bytes == hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
        let secret = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        #expect(try alice.sharedSecret(with: bob.publicKey).array == secret)
        #expect(try bob.sharedSecret(with: alice.publicKey).array == secret)
    }

    @Test("keys that are generated differ, and agree")
    func generation() throws {
        let (one, other) = (try X25519.SecretKey.generate(), try X25519.SecretKey.generate())
        #expect(one.publicKey != other.publicKey)
        #expect(
            try one.sharedSecret(with: other.publicKey).array == other.sharedSecret(with: one.publicKey).array)
    }

    @Test("the ladders of RFC 7748 end where it says", .vectors)
    func ladders() throws {
        let file = try Vectors.json("rfc/x25519_rfc7748.json")
        var judged = 0
        for single in try #require(file["single"] as? [[String: Any]]) {
            let secret = try X25519.SecretKey(single.bytes("scalar"))
            #expect(try secret.sharedSecret(with: .init(single.bytes("u"))).array == single.bytes("out"))
            judged += 1
        }
        let iterated = try #require(file["iterated"] as? [String: Any])
        var (scalar, point) = (try iterated.bytes("start"), try iterated.bytes("start"))
        for round in 1...1000 {
            (scalar, point) = (try X25519.SecretKey(scalar).sharedSecret(with: .init(point)).array, scalar)
            if round == 1 || round == 1000 {
                #expect(scalar == (try iterated.bytes("\(round)")))
                judged += 1
            }
        }
        #expect(judged == 4)
    }

    @Test("the pair that libsodium makes of a seed is made of it", .vectors)
    func seeds() throws {
        let lines = try Vectors.lines("libsodium_pynacl/box_from_seed.txt")
        var judged = 0
        for line in lines {
            let fields = line.split(separator: "\t").map { hex($0) }
            try #require(fields.count == 2)
            let key = try X25519.SecretKey(seed: SecretBytes(copying: fields[0]))
            #expect(key.publicKey.bytes + key.bytes.array == fields[1])
            judged += 1
        }
        #expect(judged > 0)
    }

    @Test("the Wycheproof cases agree as they say, and those whose secret is zero are refused on every path", .vectors)
    func wycheproof() throws {
        let file = try Vectors.json("wycheproof/x25519_test.json")
        var (agreed, refused) = (0, 0)
        for (_, test) in try Vectors.wycheproofCases(file) {
            let name: Comment = "case \(test["tcId"] ?? "?")"
            let (bytes, shared) = (try test.bytes("public"), try test.bytes("shared"))
            let secret = try X25519.SecretKey(test.bytes("private"))
            guard shared.contains(where: { $0 != 0 }) else {
                // A `PublicKey` is what agreement, boxes and sealed boxes take: there is no other way in but the
                // ephemeral key inside a sealed box.
                #expect(!X25519.acceptsPublicKey(bytes), name)
                #expect(throws: SodiumError.lowOrderKey, name) { try X25519.PublicKey(bytes) }
                let box = bytes + [UInt8](repeating: 0, count: 16)
                #expect(throws: SodiumError.notAuthentic, name) { try Box.openAnonymously(box, with: secret) }
                refused += 1
                continue
            }
            let key = try X25519.PublicKey(bytes)
            #expect(X25519.acceptsPublicKey(bytes), name)
            #expect(try secret.sharedSecret(with: key).array == shared, name)
            let (near, far) = (try Box.SharedKey(between: secret, and: key), [UInt8](repeating: 7, count: 24))
            #expect(try near.open(near.seal([1], nonce: far), nonce: far) == [1], name)
            agreed += 1
        }
        print("Wycheproof x25519: \(agreed) agreed, \(refused) keys of low order refused")
        #expect(agreed > 0)
        #expect(refused > 0)
    }
}
