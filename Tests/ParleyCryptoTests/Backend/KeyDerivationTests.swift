import ParleyCrypto
import Sodium
import TestSupport
import Testing

@Suite("HKDF-SHA256 on both backends")
struct KeyDerivationTests {
    static func derive(
        _ backend: Backend, _ secret: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ count: Int
    ) throws -> [UInt8] {
        try backend.derivedKey(from: secret.span, salt: salt, info: info, count: count).withBytes { bytes in
            bytes.indices.map { bytes[$0] }
        }
    }

    @Test("RFC 5869, appendix A", .vectors, arguments: Backend.available)
    func rfc5869(backend: Backend) throws {
        let cases = try Vectors.cases("rfc/rfc5869_hkdf_sha256.txt", first: "COUNT")
        for test in cases {
            let count = try #require(Int(test["L"] ?? ""))
            let key = try Self.derive(backend, test.bytes("IKM"), test.bytes("salt"), test.bytes("info"), count)
            #expect(try key == test.bytes("OKM"))
        }
        #expect(cases.count == 3)
    }

    @Test("Wycheproof", .vectors, arguments: Backend.available)
    func wycheproof(backend: Backend) throws {
        let file = try Vectors.json("wycheproof/hkdf_sha256_test.json")
        var (derived, refused) = (0, 0)
        for (_, test) in try Vectors.wycheproofCases(file) {
            let count = try #require(test["size"] as? Int)
            let (secret, salt, info) = try (test.bytes("ikm"), test.bytes("salt"), test.bytes("info"))
            if test["result"] as? String == "valid" {
                let key = try Self.derive(backend, secret, salt, info, count)
                #expect(try key == test.bytes("okm"), "case \(test["tcId"] ?? "?")")
                derived += 1
            } else {
                #expect(throws: SodiumError.wrongLength(expected: 8160, actual: count)) {
                    try Self.derive(backend, secret, salt, info, count)
                }
                refused += 1
            }
        }
        print("Wycheproof HKDF-SHA256 (\(backend)): \(derived) derived, \(refused) refused")
        #expect(derived > 0 && refused > 0)
    }

    @Test("the longest key is derived, alike on both", arguments: [1, 32, 8160])
    func longest(count: Int) throws {
        let keys = try Backend.available.map { try Self.derive($0, [1, 2, 3], [], [4], count) }
        #expect(Set(keys).count == 1)
        #expect(keys[0].count == count)
    }

    @Test("a key of no bytes, of fewer, or of more than 8160 is refused", arguments: Backend.available, [-1, 0, 8161])
    func refusedLengths(backend: Backend, count: Int) {
        #expect(throws: SodiumError.wrongLength(expected: 8160, actual: count)) {
            try Self.derive(backend, [1, 2, 3], [], [4], count)
        }
    }
}
