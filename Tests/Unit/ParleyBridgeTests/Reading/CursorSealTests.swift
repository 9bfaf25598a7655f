import ParleyProtocol
import ParleyRules
import Sodium
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Cursors of lists")
struct CursorSealTests {
    static func seal(_ byte: UInt8 = 7) throws -> CursorSeal {
        let seed = [UInt8](repeating: byte, count: Ed25519.seedLength)
        return try CursorSeal(TokenIssuer(key: try Ed25519.SigningKey(seed: try SecretBytes(copying: seed.span))))
    }

    private static let list = PagedList(operation: ListFollowers.operation, caller: "alice", owner: "bob")
    private static let position = ListPosition(time: at(1), user: "carol")

    @Test("a cursor opens to what was sealed, also in another process with the same key")
    func roundTrip() throws {
        let longest = UserID(stringLiteral: String(repeating: "u", count: 64))
        for time in [at(0), Timestamp(milliseconds: .max)] {
            for user in ["u", longest] as [UserID] {
                let position = ListPosition(time: time, user: user)
                let cursor = try Self.seal().seal(position, of: Self.list)
                #expect(cursor.utf8.count <= 160)
                #expect(try Self.seal().open(cursor, of: Self.list) == position)
            }
        }
    }

    @Test("positions of each kind come back, and other bytes are none")
    func positions() throws {
        func check<Position: CursorPosition & Equatable>(_ position: Position) throws {
            #expect(Position(bytes: position.bytes) == position && position.bytes.count <= 100)
            #expect(Position(bytes: position.bytes.dropLast()) == nil && Position(bytes: []) == nil)
            let cursor = try Self.seal().seal(position, of: Self.list)
            #expect(try Self.seal().open(cursor, of: Self.list) == position)
        }
        try check(Self.position)
        try check(ReportKey(value: 1))
        try check(ReportKey(value: .max))
        try check(SyncPosition.beginning)
        #expect(UserPosition(bytes: UserPosition("alice").bytes)?.user == "alice" && UserPosition(bytes: []) == nil)
    }

    @Test("of another list, caller, owner or gateway it is nothing, nor is any other text")
    func forged() throws {
        let cursor = try Self.seal().seal(Self.position, of: Self.list)
        func refused(_ cursor: String, _ list: PagedList = Self.list, byte: UInt8 = 7) {
            let rejection = #expect(throws: Rejection.self) {
                let _: ListPosition = try Self.seal(byte).open(cursor, of: list)
            }
            #expect(rejection?.code == .badRequest)
        }
        refused(cursor, PagedList(operation: ListFollowing.operation, caller: "alice", owner: "bob"))
        refused(cursor, PagedList(operation: ListFollowers.operation, caller: "alic", owner: "bob"))
        refused(cursor, PagedList(operation: ListFollowers.operation, caller: "alice", owner: "alice"))
        refused(cursor, PagedList(operation: ListFollowers.operation, caller: "bob", owner: "alice"))
        refused(cursor, byte: 8)
        for index in 0..<cursor.utf8.count {
            var bytes = Array(cursor.utf8)
            bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            refused(String(decoding: bytes, as: UTF8.self))
        }
        for text in ["", "A", "AAAA", String(cursor.dropLast(4)), cursor + "AAAA", "é", cursor + "="] { refused(text) }
        // A tag of this very list around no position of it.
        let other = try Self.seal().seal(UserPosition("alice"), of: Self.list)
        refused(other)
    }
}
