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
        let nonce = [UInt8](repeating: 3, count: 24)
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
    }
}
