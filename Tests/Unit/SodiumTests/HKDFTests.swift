import Sodium
import TestSupport
import Testing

@Suite("HKDF-SHA256")
struct HKDFTests {
    static func derive(
        _ secret: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ count: Int
    ) throws -> [UInt8] {
        try HKDFSHA256.derive(from: secret.span, salt: salt, info: info, count: count).array
    }

    @Test("RFC 5869, appendix A", .vectors)
    func rfc5869() throws {
        let cases = try Vectors.cases("rfc/rfc5869_hkdf_sha256.txt", first: "COUNT")
        for test in cases {
            let count = try #require(Int(test["L"] ?? ""))
            let key = try Self.derive(test.bytes("IKM"), test.bytes("salt"), test.bytes("info"), count)
            #expect(try key == test.bytes("OKM"))
        }
        #expect(cases.count == 3)
    }

    @Test("Wycheproof", .vectors)
    func wycheproof() throws {
        let file = try Vectors.json("wycheproof/hkdf_sha256_test.json")
        var (derived, refused) = (0, 0)
        for (_, test) in try Vectors.wycheproofCases(file) {
            let count = try #require(test["size"] as? Int)
            let (secret, salt, info) = try (test.bytes("ikm"), test.bytes("salt"), test.bytes("info"))
            if test["result"] as? String == "valid" {
                let key = try Self.derive(secret, salt, info, count)
                #expect(try key == test.bytes("okm"), "case \(test["tcId"] ?? "?")")
                derived += 1
            } else {
                #expect(throws: SodiumError.wrongLength(expected: 8160, actual: count)) {
                    try Self.derive(secret, salt, info, count)
                }
                refused += 1
            }
        }
        print("Wycheproof HKDF-SHA256: \(derived) derived, \(refused) refused")
        #expect(derived > 0 && refused > 0)
    }

    @Test("a shorter key is the beginning of the longest", arguments: [1, 31, 32, 33, 8160])
    func longest(count: Int) throws {
        let longest = try Self.derive([1, 2, 3], [], [4], 8160)
        #expect(longest.count == 8160)
        #expect(try Self.derive([1, 2, 3], [], [4], count) == Array(longest.prefix(count)))
    }

    @Test("a key of no bytes, of fewer, or of more than 8160 is refused", arguments: [-1, 0, 8161])
    func refusedLengths(count: Int) {
        #expect(throws: SodiumError.wrongLength(expected: 8160, actual: count)) {
            try Self.derive([1, 2, 3], [], [4], count)
        }
    }
}
