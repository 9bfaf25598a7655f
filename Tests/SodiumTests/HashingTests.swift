import Sodium
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
}
