import ParleyCrypto
import Sodium
import TestSupport
import Testing

@Suite("What two devices agree on")
struct KeyAgreementTests {
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

    static func agree(_ secret: [UInt8], _ peer: [UInt8]) throws -> [UInt8] {
        let own = try IdentityKeyPair(secret: SecretBytes(copying: secret.span))
        return try own.sharedSecret(with: peer).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test("RFC 7748 §5.2", .vectors)
    func rfc7748() throws {
        let cases = try Vectors.cases("rfc/rfc7748_x25519.txt", first: "COUNT")
        for test in cases {
            let secret = try Self.agree(test.bytes("INPUT_SCALAR"), test.bytes("INPUT_U"))
            #expect(try secret == test.bytes("OUTPUT_U"))
        }
        #expect(!cases.isEmpty)
    }

    @Test(
        "Wycheproof: each secret as it should be, and every key refused that gives zero",
        .vectors)
    func wycheproof() throws {
        let file = try Vectors.json("wycheproof/x25519_test.json")
        var (agreed, refused) = (0, 0)
        for (_, test) in try Vectors.wycheproofCases(file) {
            let (secret, peer, shared) = try (test.bytes("private"), test.bytes("public"), test.bytes("shared"))
            if shared.allSatisfy({ $0 == 0 }) {
                #expect(throws: SodiumError.lowOrderKey) { try Self.agree(secret, peer) }
                #expect(IdentityKey(peer) == nil)
                refused += 1
            } else {
                #expect(try Self.agree(secret, peer) == shared, "case \(test["tcId"] ?? "?")")
                #expect(IdentityKey(peer) != nil)
                agreed += 1
            }
        }
        print("Wycheproof x25519: \(agreed) secrets agreed, \(refused) of zero refused")
        #expect(agreed > 0 && refused > 0)
    }

    @Test("a key of low order is refused, with and without its unused top bit", arguments: lowOrder)
    func lowOrderKeys(text: String) throws {
        for top in [0, 0x80] as [UInt8] {
            var peer = hex(text)
            peer[31] |= top
            for first in [0, 1, 0x80, 0xFF] as [UInt8] {
                let secret = [UInt8](repeating: first, count: 32)
                #expect(throws: SodiumError.lowOrderKey) { try Self.agree(secret, peer) }
            }
            #expect(throws: OpeningError.weakKey) { try IdentityKey(published: peer) }
        }
    }

    @Test("a key of another length is refused", arguments: [0, 31, 33])
    func lengths(count: Int) throws {
        let key = [UInt8](repeating: 9, count: count)
        #expect(throws: SodiumError.wrongLength(expected: 32, actual: count)) {
            try Self.agree([UInt8](repeating: 1, count: 32), key)
        }
        #expect(throws: OpeningError.malformed) { try IdentityKey(published: key) }
        #expect(throws: SodiumError.self) { try IdentityKeyPair(secret: SecretBytes(copying: key.span)) }
    }

    @Test("both sides agree, also on keys just made")
    func symmetry() throws {
        let (one, other) = (try IdentityKeyPair.generate(), try IdentityKeyPair.generate())
        #expect(one.publicKey != other.publicKey)
        let secrets = try [(one, other), (other, one)].map { own, peer in
            try own.sharedSecret(with: peer.publicKey.bytes).withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }
        #expect(Set(secrets).count == 1)
    }
}
