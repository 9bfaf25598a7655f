import Sodium
import TestSupport
import Testing

@Suite("Hashes, randomness, comparison, secrets")
struct HashingTests {
    @Test("SHA-256 gives the digests of FIPS 180-4")
    func sha256() throws {
        #expect(
            try SHA256.hash(Array("abc".utf8))
                == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(
            try SHA256.hash([UInt8]())
                == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }

    @Test("BLAKE2b gives the digest of the length that was asked for")
    func blake2b() throws {
        let message = Array("abc".utf8)
        #expect(try BLAKE2b.hash(message, length: .bytes16) == hex("cf4ab791c62b8d2b2109c90275287816"))
        #expect(
            try BLAKE2b.hash(message, length: .bytes32)
                == hex("bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"))
    }

    @Test("SHA-512 gives the digest of FIPS 180-4")
    func sha512() throws {
        let expected =
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        #expect(SHA512.hash(Array("abc".utf8)) == hex(expected))
    }

    @Test("the BLAKE2b cases of the reference come out as printed, whole and in parts", .vectors)
    func blake2bVectors() throws {
        let cases = try Vectors.jsonArray("libsodium_pynacl/blake2-kat.json")
        var (keyed, plain) = (0, 0)
        for test in cases where test["hash"] as? String == "blake2b" {
            let (message, key, digest) = (try test.bytes("in"), try test.bytes("key"), try test.bytes("out"))
            let parts = [Array(message.prefix(message.count / 3)), Array(message.dropFirst(message.count / 3))]
            if key.isEmpty {
                #expect(try BLAKE2b.hash(message, length: .bytes64) == digest)
                #expect(try BLAKE2b.hash(parts: parts, length: .bytes64, key: nil) == digest)
                plain += 1
            } else {
                #expect(try BLAKE2b.hash(message, length: .bytes64, key: key) == digest)
                #expect(try BLAKE2b.hash(parts: parts, length: .bytes64, key: key) == digest)
                keyed += 1
            }
        }
        print("blake2b: \(plain) digests without a key, \(keyed) with one")
        #expect(keyed > 0 && plain > 0)
    }

    @Test("a BLAKE2b key of a length that cannot be is refused", arguments: [0, 15, 65])
    func blake2bKeys(count: Int) throws {
        let key = [UInt8](repeating: 1, count: count)
        let expected = SodiumError.wrongLength(expected: count < 16 ? 16 : 64, actual: count)
        #expect(throws: expected) { try BLAKE2b.hash([1], length: .bytes32, key: key) }
        #expect(throws: expected) { try BLAKE2b.hash(parts: [[1]], length: .bytes32, key: key) }
        let good = [UInt8](repeating: 1, count: 16)
        #expect(try BLAKE2b.hash([1], length: .bytes32, key: good) != BLAKE2b.hash([1], length: .bytes32))
    }

    // RFC 4231, test cases 1, 2 and 6.
    static let authenticated: [(key: [UInt8], message: String, tag: String)] = [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ]

    @Test("HMAC-SHA256 gives the tags of RFC 4231, whole and in parts", arguments: authenticated.indices)
    func hmac(index: Int) throws {
        let vector = Self.authenticated[index]
        let message = Array(vector.message.utf8)
        #expect(try HMACSHA256.tag(of: message, key: vector.key) == hex(vector.tag))
        #expect(try HMACSHA256.tag(ofParts: message.map { [$0] }, key: vector.key) == hex(vector.tag))
        #expect(try HMACSHA256.tag(of: [], key: vector.key) != hex(vector.tag))
    }

    @Test("random bytes have the length asked for and differ")
    func random() throws {
        #expect(try RandomBytes.make(count: 0).isEmpty)
        #expect(try RandomBytes.make(count: -1).isEmpty)
        let (one, other) = (try RandomBytes.make(count: 32), try RandomBytes.make(count: 32))
        #expect(one.count == 32 && other.count == 32 && one != other)
    }

    @Test("comparison sees length and every byte")
    func comparison() {
        let bytes: [UInt8] = [1, 2, 3]
        #expect(equalInConstantTime(bytes, [1, 2, 3]))
        #expect(!equalInConstantTime(bytes, [1, 2, 4]))
        #expect(!equalInConstantTime(bytes, [1, 2]))
        #expect(equalInConstantTime([UInt8](), [UInt8]()))
    }

    @Test("secret bytes keep what they were given and print nothing of it")
    func secrets() throws {
        let secret = try SecretBytes(copying: [7, 8, 9])
        let sum = secret.withBytes { bytes in
            var sum = 0
            for index in 0..<bytes.count { sum += Int(bytes[index]) }
            return sum
        }
        #expect(sum == 24)
        #expect("\(secret)" == "SecretBytes(3 bytes)")
        #expect(try SecretBytes(copying: [UInt8]()).count == 0)
        #expect(try SecretBytes.random(count: 16).count == 16)
    }

    @Test("bytes that are wiped at their end keep what they were given and print nothing of it")
    func wipedBytes() throws {
        let bytes: [UInt8] = [7, 8, 9]
        #expect(WipedBytes(copying: bytes.span).array == bytes)
        #expect("\(WipedBytes(copying: bytes.span))" == "WipedBytes(3 bytes)")
        #expect(WipedBytes(copying: [UInt8]().span).count == 0)
        #expect(try WipedBytes.random(count: 32).array != WipedBytes.random(count: 32).array)
    }

    @Test("a wiped array holds zeros")
    func wiping() {
        var (bytes, nothing): ([UInt8], [UInt8]) = ([1, 2, 3], [])
        wipe(&bytes)
        wipe(&nothing)
        #expect(bytes == [0, 0, 0])
        #expect(nothing.isEmpty)
    }
}
