import ParleyCrypto
import Sodium
import TestSupport
import Testing

@Suite("AES-256-GCM on both backends")
struct AESKeyTests {
    static func seal(
        _ backend: Backend, _ key: [UInt8], _ nonce: [UInt8], _ data: [UInt8], _ plaintext: [UInt8]
    ) throws -> [UInt8] {
        try AESKey(key.span, backend: backend).seal(plaintext.span, nonce: nonce.span, additionalData: data.span)
    }

    static func open(
        _ backend: Backend, _ key: [UInt8], _ nonce: [UInt8], _ data: [UInt8], _ sealed: [UInt8]
    ) throws -> [UInt8] {
        try AESKey(key.span, backend: backend).open(sealed.span, nonce: nonce.span, additionalData: data.span)
    }

    @Test(
        "Wycheproof: sealed and opened as it should be, with keys of 256 bits and nonces of 96; no other is taken",
        .vectors,
        arguments: Backend.available)
    func wycheproof(backend: Backend) throws {
        let file = try Vectors.json("wycheproof/aes_gcm_test.json")
        var (valid, invalid, foreign) = (0, 0, 0)
        for (_, test) in try Vectors.wycheproofCases(file) {
            let (key, nonce, data) = try (test.bytes("key"), test.bytes("iv"), test.bytes("aad"))
            let (plaintext, sealed) = try (test.bytes("msg"), test.bytes("ct") + test.bytes("tag"))
            if key.count != 32 || nonce.count != 12 {
                #expect(throws: SodiumError.self) { try Self.seal(backend, key, nonce, data, plaintext) }
                #expect(throws: SodiumError.self) { try Self.open(backend, key, nonce, data, sealed) }
                foreign += 1
            } else if test["result"] as? String == "valid" {
                #expect(try Self.seal(backend, key, nonce, data, plaintext) == sealed, "case \(test["tcId"] ?? "?")")
                #expect(try Self.open(backend, key, nonce, data, sealed) == plaintext, "case \(test["tcId"] ?? "?")")
                valid += 1
            } else {
                #expect(throws: SodiumError.notAuthentic) { try Self.open(backend, key, nonce, data, sealed) }
                invalid += 1
            }
        }
        print("Wycheproof AES-GCM (\(backend)): \(valid) sealed and opened, \(invalid) refused, \(foreign) not taken")
        #expect(valid > 0 && invalid > 0 && foreign > 0)
    }

    @Test("NIST CAVP: sealed and opened as it should be; other nonces and shorter tags are not taken", .vectors)
    func cavp() throws {
        let cases = try Vectors.cases("nist_cavp/gcmEncryptExtIV256.rsp", first: "Count")
        // The others have lengths of nonce and tag that this form does not have.
        let ours = cases.filter { $0["IVlen"] == "96" && $0["Taglen"] == "128" }
        for backend in Backend.available {
            for test in ours {
                let (key, nonce, data) = try (test.bytes("Key"), test.bytes("IV"), test.bytes("AAD"))
                let (plaintext, sealed) = try (test.bytes("PT"), test.bytes("CT") + test.bytes("Tag"))
                #expect(try Self.seal(backend, key, nonce, data, plaintext) == sealed)
                #expect(try Self.open(backend, key, nonce, data, sealed) == plaintext)
                let short = Array(sealed.dropLast(4))
                #expect(throws: SodiumError.notAuthentic) { try Self.open(backend, key, nonce, data, short) }
            }
            for test in cases where test["IVlen"] != "96" {
                let (key, nonce) = try (test.bytes("Key"), test.bytes("IV"))
                #expect(throws: SodiumError.wrongLength(expected: 12, actual: nonce.count)) {
                    try Self.seal(backend, key, nonce, [], [])
                }
                break
            }
        }
        print("NIST CAVP AES-256-GCM: \(ours.count) of \(cases.count) cases are of this form")
        #expect(!ours.isEmpty)
    }

    @Test("what one backend seals the other opens, empty and long", arguments: [0, 1, 15, 16, 17, 65_520])
    func betweenBackends(count: Int) throws {
        let (key, nonce) = try (RandomBytes.make(count: 32), RandomBytes.make(count: 12))
        let plaintext = try RandomBytes.make(count: count)
        let sealed = try Self.seal(.libsodium, key, nonce, [1], plaintext)
        #expect(try sealed == Self.seal(.openSSL, key, nonce, [1], plaintext))
        for backend in Backend.available {
            #expect(try Self.open(backend, key, nonce, [1], sealed) == plaintext)
            #expect(throws: SodiumError.notAuthentic) { try Self.open(backend, key, nonce, [2], sealed) }
        }
    }

    @Test("fewer bytes than a tag has are not authentic", arguments: Backend.available, 0..<16)
    func short(backend: Backend, count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(throws: SodiumError.notAuthentic) {
            try Self.open(backend, [UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 12), [], bytes)
        }
    }
}
