import Sodium
import TestSupport
import Testing

@Suite("Argon2id")
struct Argon2idTests {
    static let salt = [UInt8](repeating: 2, count: 16)

    @Test("the hashes of the public vectors come out as printed", .vectors)
    func vectors() throws {
        let cases = try Vectors.jsonArray("libsodium_pynacl/raw_argon2id_hashes.json")
        var judged = 0
        for test in cases {
            let (password, salt) = (
                Array(try #require(test["passwd"] as? String).utf8), Array(try #require(test["salt"] as? String).utf8)
            )
            let cost = try Argon2id.Cost(
                passes: #require(test["iters"] as? Int), kibibytes: #require(test["maxmem"] as? Int))
            let length = try #require(test["dgst_len"] as? Int)
            #expect(try Argon2id.derive(password, salt: salt, cost: cost, length: length) == test.bytes("pwhash"))
            judged += 1
        }
        print("argon2id: \(judged) hashes")
        #expect(judged > 0)
    }

    @Test("another password, salt, cost or length gives another key")
    func inputs() throws {
        let cost = try Argon2id.Cost(passes: 1, kibibytes: 8)
        let key = try Argon2id.derive([1], salt: Self.salt, cost: cost, length: 16)
        #expect(try Argon2id.derive([1], salt: Self.salt, cost: cost, length: 16) == key)
        #expect(try Argon2id.derive([2], salt: Self.salt, cost: cost, length: 16) != key)
        #expect(try Argon2id.derive([], salt: Self.salt, cost: cost, length: 16) != key)
        #expect(try Argon2id.derive([1], salt: [UInt8](repeating: 3, count: 16), cost: cost, length: 16) != key)
        #expect(try Argon2id.derive([1], salt: Self.salt, cost: .init(passes: 2, kibibytes: 8), length: 16) != key)
        #expect(try Argon2id.derive([1], salt: Self.salt, cost: .init(passes: 1, kibibytes: 16), length: 16) != key)
        #expect(try Argon2id.derive([1], salt: Self.salt, cost: cost, length: 32).prefix(16) != key[...])
    }

    @Test("a cost out of bounds is refused", arguments: [(0, 8), (-1, 8), (11, 8), (1, 7), (1, -8), (1, 1_048_577)])
    func costs(passes: Int, kibibytes: Int) {
        #expect(throws: SodiumError.costOutOfBounds) {
            try Argon2id.Cost(passes: passes, kibibytes: kibibytes)
        }
    }

    @Test("the bounds themselves, and libsodium's usual costs, are within them")
    func boundsOfCosts() throws {
        #expect(try Argon2id.Cost(passes: 1, kibibytes: 8).passes == 1)
        #expect(try Argon2id.Cost(passes: 10, kibibytes: 1_048_576).kibibytes == 1_048_576)
        for usual in [Argon2id.Cost.interactive, .moderate] {
            #expect(try Argon2id.Cost(passes: usual.passes, kibibytes: usual.kibibytes) == usual)
        }
    }

    @Test("a salt or key of a length that cannot be is refused", arguments: [0, 15])
    func lengths(count: Int) throws {
        let cost = try Argon2id.Cost(passes: 1, kibibytes: 8)
        let expected = SodiumError.wrongLength(expected: 16, actual: count)
        #expect(throws: expected) {
            try Argon2id.derive([1], salt: [UInt8](repeating: 2, count: count), cost: cost, length: 32)
        }
        #expect(throws: expected) { try Argon2id.derive([1], salt: Self.salt, cost: cost, length: count) }
    }
}
