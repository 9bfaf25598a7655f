import TestSupport
import Testing

@testable import OpenSSL

@Suite("P-256")
struct P256Tests {
    // RFC 5903 §8.1.
    static let scalar = "C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433"
    static let point =
        "04DAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180"
        + "5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3"
    static let otherScalar = "C6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53"
    static let otherPoint =
        "04D12DFB5289C8D4F81208B70270398C342296970A0BCCB74C736FC7554494BF63"
        + "56FBF3CA366CC23E8157854C13C58D6AAC23F046ADA30F8353E74F33039872AB"
    static let shared = "D6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE"
    // SEC 2 §2.4.2: how many points there are, and the field's prime.
    static let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"
    static let prime = "FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF"

    static func key(_ text: String) throws -> P256.PrivateKey { try P256.PrivateKey(hex(text).span) }

    static func key(pem: String) throws -> P256.PrivateKey { try P256.PrivateKey(pem: Array(pem.utf8).span) }

    static func verifies(_ signature: [UInt8], of message: [UInt8], _ key: P256.PublicKey) -> Bool {
        key.verifies(signature.span, of: message.span)
    }

    @Test("two people agree on the secret of RFC 5903")
    func agreement() throws {
        let (one, other) = (try Self.key(Self.scalar), try Self.key(Self.otherScalar))
        #expect(one.publicKey.bytes == hex(Self.point))
        #expect(other.publicKey.bytes == hex(Self.otherPoint))
        #expect(try one.sharedSecret(with: other.publicKey) == hex(Self.shared))
        #expect(try other.sharedSecret(with: P256.PublicKey(hex(Self.point))) == hex(Self.shared))
    }

    @Test("keys that are generated differ, agree, and come back from their bytes")
    func generation() throws {
        let (one, other) = (try P256.PrivateKey.generate(), try P256.PrivateKey.generate())
        #expect(one.publicKey.bytes != other.publicKey.bytes)
        #expect(try one.sharedSecret(with: other.publicKey) == other.sharedSecret(with: one.publicKey))
        let kept = try one.bytes()
        #expect(kept.count == 32)
        #expect(try P256.PrivateKey(kept.span).publicKey.bytes == one.publicKey.bytes)
    }

    @Test(
        "a key is read from PEM in either form, whatever stands around it", arguments: [TestKeys.pkcs8, TestKeys.sec1])
    func pem(_ text: String) throws {
        for text in [text, "Bag Attributes\n" + text, text + "\nmore", text.replacing("\n", with: "\r\n")] {
            let key = try Self.key(pem: text)
            #expect(try key.bytes() == hex(Self.scalar))
            #expect(key.publicKey.bytes == hex(Self.point))
        }
        #expect(Library.leavesNoError)
    }

    @Test(
        "what is no key of P-256 is refused, and nobody is asked for a password",
        arguments: [
            "", "-----BEGIN PRIVATE KEY-----", TestKeys.encrypted, TestKeys.publicOnly, TestKeys.p384, TestKeys.ed25519,
            TestKeys.rsa, TestKeys.pkcs8.replacing("MIG", with: "MIH"), String(TestKeys.pkcs8.dropLast(60)),
            TestKeys.pkcs8.replacing("a", with: "\0"),
        ])
    func refusedPEM(_ text: String) {
        #expect(throws: OpenSSLError.malformedKey) { try Self.key(pem: text) }
        #expect(Library.leavesNoError)
    }

    @Test("a number outside of the group is no key, and the least and greatest inside are")
    func range() throws {
        let zero = String(repeating: "00", count: 32)
        let beyond = Self.order.dropLast() + "2"
        for text in [zero, Self.order, String(beyond), String(repeating: "FF", count: 32)] {
            #expect(throws: OpenSSLError.malformedKey) { try Self.key(text) }
        }
        for text in [zero.dropLast() + "1", Self.order.dropLast() + "0"] {
            let key = try Self.key(String(text))
            #expect(try key.bytes() == hex(text))
            let signature = try key.sign(key.publicKey.bytes.span)
            #expect(Self.verifies(signature, of: key.publicKey.bytes, key.publicKey))
        }
        for count in [0, 31, 33, 64] {
            #expect(throws: OpenSSLError.wrongLength(expected: 32, actual: count)) {
                try P256.PrivateKey([UInt8](repeating: 1, count: count).span)
            }
        }
        #expect(Library.leavesNoError)
    }

    @Test("what is no point of the curve is no public key")
    func points() throws {
        let good = hex(Self.point)
        #expect(try P256.PublicKey(good).bytes == good)
        var (moved, compressed, hybrid, large) = (good, good, good, good)
        moved[64] ^= 1
        compressed[0] = 2
        // OpenSSL itself reads this form.
        hybrid[0] = 6 + good[64] & 1
        large.replaceSubrange(1..<33, with: hex(Self.prime))
        let zero = [4] + [UInt8](repeating: 0, count: 64)
        for bytes in [moved, compressed, hybrid, large, zero, [4] + [UInt8](repeating: 0xFF, count: 64)] {
            #expect(throws: OpenSSLError.malformedKey) { try P256.PublicKey(bytes) }
        }
        for bytes in [[], [0], [UInt8](repeating: 2, count: 33), Array(good.dropLast()), good + [0]] {
            #expect(throws: OpenSSLError.wrongLength(expected: 65, actual: bytes.count)) { try P256.PublicKey(bytes) }
        }
        #expect(Library.leavesNoError)
    }

    @Test("a signature is 64 bytes and verified; one that was changed, cut or moved is not", arguments: [0, 1, 5000])
    func signatures(count: Int) throws {
        let message = [UInt8](repeating: 7, count: count)
        let (key, other) = (try P256.PrivateKey.generate(), try P256.PrivateKey.generate())
        // Often enough for numbers that are shorter than 32 bytes.
        for _ in 0..<300 {
            let signature = try key.sign(message.span)
            #expect(signature.count == 64)
            #expect(Self.verifies(signature, of: message, key.publicKey))
        }
        let signature = try key.sign(message.span)
        #expect(!Self.verifies(signature, of: message, other.publicKey))
        #expect(!Self.verifies(signature, of: message + [1], key.publicKey))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 0x10
            #expect(!Self.verifies(changed, of: message, key.publicKey))
        }
        for bytes in [[], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0, count: 64)] {
            #expect(!Self.verifies(bytes, of: message, key.publicKey))
        }
        #expect(Library.leavesNoError)
    }

    @Test("the Wycheproof cases of ECDSA are verified as they say", .vectors)
    func wycheproof() throws {
        let file = try Vectors.json("wycheproof/ecdsa_secp256r1_sha256_p1363_test.json")
        var (valid, invalid) = (0, 0)
        for (group, test) in try Vectors.wycheproofCases(file) {
            let name: Comment = "case \(test["tcId"] ?? "?")"
            let key = try P256.PublicKey(#require(group["publicKey"] as? [String: Any]).bytes("uncompressed"))
            let isValid = try Self.verifies(test.bytes("sig"), of: test.bytes("msg"), key)
            #expect(isValid == (test["result"] as? String == "valid"), name)
            if isValid { valid += 1 } else { invalid += 1 }
        }
        print("Wycheproof ECDSA: \(valid) verified, \(invalid) refused")
        #expect(valid > 0 && invalid > 0)
        #expect(Library.leavesNoError)
    }

    @Test("what a private key prints as holds nothing of it")
    func silent() throws {
        let key = try Self.key(Self.scalar)
        #expect("\(key)" == "P256.PrivateKey")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(dumped == "- P256.PrivateKey\n")
    }
}
