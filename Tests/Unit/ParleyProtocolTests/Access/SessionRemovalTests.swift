import ParleyProtocol
import Testing

@Suite("Sessions that the broker is to remove")
struct SessionRemovalTests {
    private static let ids = ["alice:phone", "alice:phone:x", "bob:laptop"].compactMap {
        ClientID(parsing: Array($0.utf8).span)
    }

    @Test("client ids are read as they were written, however many")
    func roundTrip() {
        let many = (0..<200).flatMap { _ in Self.ids }
        #expect(SessionRemoval.messages(for: many).flatMap { SessionRemoval.ids(in: $0) ?? [] } == many)
        let none = SessionRemoval.messages(for: [ClientID]())
        #expect(none.isEmpty)
    }

    @Test("a message that is wrong anywhere is none")
    func damagedMessage() throws {
        let message = try #require(SessionRemoval.messages(for: Self.ids).first)
        for length in 2..<message.count where ![13, 27].contains(length) {
            let ids = SessionRemoval.ids(in: Array(message.prefix(length)))
            #expect(ids == nil, "\(length)")
        }
        for bad: [UInt8] in [[], [2], [1, 0], [1, 3] + Array("a/b".utf8), [1, 200, 97], message + [1]] {
            #expect(SessionRemoval.ids(in: bad) == nil)
        }
    }
}
