import ParleyProtocol
import Sodium
import Testing

@testable import ParleyBridge

@Suite("Cursors of lists")
struct CursorSealTests {
    static func seal(_ byte: UInt8 = 7) throws -> CursorSeal {
        let seed = [UInt8](repeating: byte, count: Ed25519.seedLength)
        return try CursorSeal(TokenIssuer(key: try Ed25519.SigningKey(seed: try SecretBytes(copying: seed.span))))
    }

    @Test("a cursor opens to what was sealed, also in another process with the same key")
    func roundTrip() throws {
        for place in [[0], Array(0..<100)] as [[UInt8]] {
            let cursor = try Self.seal().seal(place, of: "list", for: "alice")
            #expect(cursor.utf8.count <= 160)
            #expect(try Self.seal().open(cursor, of: "list", for: "alice") == place)
        }
    }

    @Test("of another list, another user or another gateway it is nothing, nor is any other text")
    func forged() throws {
        let cursor = try Self.seal().seal([1, 2, 3], of: "list", for: "alice")
        func refused(_ cursor: String, _ list: StaticString = "list", _ user: UserID = "alice", _ byte: UInt8 = 7) {
            let rejection = #expect(throws: Rejection.self) {
                try Self.seal(byte).open(cursor, of: list, for: user)
            }
            #expect(rejection?.code == .badRequest)
        }
        refused(cursor, "lis")
        refused(cursor, "list", "alic")
        refused(cursor, "list", "alice", 8)
        for index in 0..<cursor.utf8.count {
            var bytes = Array(cursor.utf8)
            bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            refused(String(decoding: bytes, as: UTF8.self))
        }
        for text in ["", "A", "AAAA", String(cursor.dropLast(4)), cursor + "AAAA", "é", cursor + "="] { refused(text) }
    }
}
