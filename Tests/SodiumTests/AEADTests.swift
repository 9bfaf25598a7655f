import Sodium
import TestSupport
import Testing

@Suite("Authenticated encryption with additional data")
struct AEADTests {
    static let key = [UInt8](repeating: 5, count: 32)

    @Test("the XChaCha20-Poly1305 vector of libsodium comes out as printed", .vectors)
    func xchachaVectors() throws {
        let lines = try Vectors.lines("libsodium_pynacl/xchacha20-poly1305-ietf_ref.txt")
        var fields: [String: [UInt8]] = [:]
        var judged = 0
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[String(parts[0])] = hex(parts[1])
            guard parts[0] == "TAG", let key = fields["KEY"], let nonce = fields["NONCE"], let message = fields["IN"],
                let data = fields["AD"], let ciphertext = fields["CT"], let tag = fields["TAG"]
            else { continue }
            #expect(try XChaCha20Poly1305.seal(message, nonce: nonce, data: data, key: key) == ciphertext + tag)
            #expect(try XChaCha20Poly1305.open(ciphertext + tag, nonce: nonce, data: data, key: key) == message)
            judged += 1
        }
        #expect(judged > 0)
    }

    @Test("what was changed, cut or moved does not open; what was not, does", arguments: [0, 1, 40])
    func changed(count: Int) throws {
        let message = [UInt8](repeating: 0xab, count: count)
        let (nonce, shortNonce) = ([UInt8](repeating: 3, count: 24), [UInt8](repeating: 3, count: 12))
        let data: [UInt8] = [1, 2, 3]
        let sealed = try XChaCha20Poly1305.seal(message, nonce: nonce, data: data, key: Self.key)
        #expect(try XChaCha20Poly1305.open(sealed, nonce: nonce, data: data, key: Self.key) == message)
        for changed in variants(of: sealed) {
            #expect(throws: SodiumError.notAuthentic) {
                try XChaCha20Poly1305.open(changed, nonce: nonce, data: data, key: Self.key)
            }
        }
        for changed in variants(of: data) {
            #expect(throws: SodiumError.notAuthentic) {
                try XChaCha20Poly1305.open(sealed, nonce: nonce, data: changed, key: Self.key)
            }
        }
        guard AES256GCM.isAvailable else { return print("skipped: no AES instructions") }
        let key = try AES256GCM.Key(Self.key)
        let sealedByAES = try key.seal(message, nonce: shortNonce, data: data)
        #expect(try key.open(sealedByAES, nonce: shortNonce, data: data) == message)
        for changed in variants(of: sealedByAES) {
            #expect(throws: SodiumError.notAuthentic) { try key.open(changed, nonce: shortNonce, data: data) }
        }
        for changed in variants(of: data) {
            #expect(throws: SodiumError.notAuthentic) { try key.open(sealedByAES, nonce: shortNonce, data: changed) }
        }
    }

    @Test("a nonce or key of another length is refused", arguments: [0, 11, 13, 16, 23, 25, 31, 33])
    func lengths(count: Int) throws {
        let (odd, nonce) = ([UInt8](repeating: 1, count: count), [UInt8](repeating: 3, count: 24))
        let box = [UInt8](repeating: 0, count: 20)
        let wrongKey = SodiumError.wrongLength(expected: 32, actual: count)
        let wrongNonce = SodiumError.wrongLength(expected: 24, actual: count)
        #expect(throws: wrongNonce) { try XChaCha20Poly1305.seal([], nonce: odd, data: [], key: Self.key) }
        #expect(throws: wrongNonce) { try XChaCha20Poly1305.open(box, nonce: odd, data: [], key: Self.key) }
        #expect(throws: wrongKey) { try XChaCha20Poly1305.seal([], nonce: nonce, data: [], key: odd) }
        #expect(throws: wrongKey) { try XChaCha20Poly1305.open(box, nonce: nonce, data: [], key: odd) }
        guard AES256GCM.isAvailable else { return print("skipped: no AES instructions") }
        let key = try AES256GCM.Key(Self.key)
        let wrongShortNonce = SodiumError.wrongLength(expected: 12, actual: count)
        #expect(throws: wrongKey) { try AES256GCM.Key(odd) }
        #expect(throws: wrongShortNonce) { try key.seal([], nonce: odd, data: []) }
        #expect(throws: wrongShortNonce) { try key.open(box, nonce: odd, data: []) }
    }

    @Test("the Wycheproof cases of AES-GCM are judged as they say, and other sizes refused by their length", .vectors)
    func wycheproof() throws {
        let file = try Vectors.json("wycheproof/aes_gcm_test.json")
        guard AES256GCM.isAvailable else { return print("skipped: no AES instructions") }
        var (opened, refused, others) = (0, 0, 0)
        for (group, test) in try Vectors.wycheproofCases(file) {
            let name: Comment = "case \(test["tcId"] ?? "?")"
            let (keyBytes, nonce, data) = (try test.bytes("key"), try test.bytes("iv"), try test.bytes("aad"))
            let (message, sealed) = (try test.bytes("msg"), try test.bytes("ct") + test.bytes("tag"))
            guard group["keySize"] as? Int == 256 else {
                #expect(throws: SodiumError.wrongLength(expected: 32, actual: keyBytes.count), name) {
                    try AES256GCM.Key(keyBytes)
                }
                others += 1
                continue
            }
            let key = try AES256GCM.Key(keyBytes)
            guard group["ivSize"] as? Int == 96 else {
                #expect(throws: SodiumError.wrongLength(expected: 12, actual: nonce.count), name) {
                    try key.open(sealed, nonce: nonce, data: data)
                }
                others += 1
                continue
            }
            if test["result"] as? String == "valid" {
                #expect(try key.open(sealed, nonce: nonce, data: data) == message, name)
                #expect(try key.seal(message, nonce: nonce, data: data) == sealed, name)
                opened += 1
            } else {
                #expect(throws: SodiumError.notAuthentic, name) { try key.open(sealed, nonce: nonce, data: data) }
                refused += 1
            }
        }
        print("Wycheproof aes_gcm: \(opened) opened, \(refused) refused, \(others) of other sizes")
        #expect(opened > 0 && refused > 0 && others > 0)
    }

    @Test("the NIST cases of AES-256-GCM come out as printed, and nonces of other lengths are refused", .vectors)
    func nist() throws {
        let lines = try Vectors.lines("nist_cavp/gcmEncryptExtIV256.rsp")
        guard AES256GCM.isAvailable else { return print("skipped: no AES instructions") }
        var fields: [Substring: [UInt8]] = [:]
        var (sealed, others) = (0, 0)
        for line in lines where line.contains(" = ") && !line.hasPrefix("[") {
            let parts = line.split(separator: " = ", maxSplits: 1, omittingEmptySubsequences: false)
            fields[parts[0]] = hex(parts[1])
            guard parts[0] == "Tag", let keyBytes = fields["Key"], let nonce = fields["IV"], let message = fields["PT"],
                let data = fields["AAD"], let ciphertext = fields["CT"], let tag = fields["Tag"]
            else { continue }
            let key = try AES256GCM.Key(keyBytes)
            guard nonce.count == 12 else {
                #expect(throws: SodiumError.wrongLength(expected: 12, actual: nonce.count)) {
                    try key.seal(message, nonce: nonce, data: data)
                }
                others += 1
                continue
            }
            // A shorter tag is the beginning of the whole one, and opens nothing here.
            let whole = try key.seal(message, nonce: nonce, data: data)
            #expect(Array(whole.prefix(ciphertext.count + tag.count)) == ciphertext + tag)
            #expect(try key.open(whole, nonce: nonce, data: data) == message)
            if tag.count < 16 {
                #expect(throws: SodiumError.notAuthentic) { try key.open(ciphertext + tag, nonce: nonce, data: data) }
            }
            sealed += 1
        }
        print("NIST AES-256-GCM: \(sealed) sealed, \(others) of other nonce lengths refused")
        #expect(sealed > 0 && others > 0)
    }
}
