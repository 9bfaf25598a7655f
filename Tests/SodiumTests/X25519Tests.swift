import Sodium
import Testing

@Suite("X25519 public keys")
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

    @Test("a key of low order is refused, with and without its unused top bit", arguments: lowOrder)
    func lowOrderKeys(text: String) {
        var key = hex(text)
        #expect(X25519.isLowOrder(key))
        #expect(!X25519.acceptsPublicKey(key))
        key[31] |= 0x80
        #expect(!X25519.acceptsPublicKey(key))
    }

    @Test("the base point and a key of RFC 7748 are accepted")
    func goodKeys() {
        #expect(X25519.acceptsPublicKey(hex("09" + String(repeating: "00", count: 31))))
        #expect(X25519.acceptsPublicKey(hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")))
    }

    @Test("a key of another length is refused", arguments: [0, 1, 31, 33, 64])
    func lengths(count: Int) {
        #expect(!X25519.acceptsPublicKey([UInt8](repeating: 9, count: count)))
    }

    @Test("the Wycheproof cases whose secret is zero are refused and all others accepted")
    func wycheproof() throws {
        guard let file = try Vectors.json("wycheproof/x25519_test.json") else { return }
        var refused = 0
        for (_, test) in try Vectors.wycheproofCases(file) {
            let key = hex(try #require(test["public"] as? String))
            let isZero = hex(try #require(test["shared"] as? String)).allSatisfy { $0 == 0 }
            #expect(X25519.acceptsPublicKey(key) == !isZero, "case \(test["tcId"] ?? "?")")
            if isZero { refused += 1 }
        }
        print("Wycheproof x25519: \(refused) keys of low order refused")
        #expect(refused > 0)
    }
}
