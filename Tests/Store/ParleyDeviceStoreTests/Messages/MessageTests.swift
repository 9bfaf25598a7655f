import ParleyProtocol
import TestNames
import Testing

@testable import ParleyDeviceStore

@Suite("Stored messages")
struct MessageTests {
    private let store: DeviceStore

    init() throws { store = try DeviceStore.inMemory(device: phone, searchable: searchable) }

    private func insert(_ seqs: ClosedRange<Int>) throws {
        try store.write { try $0.insert(seqs.map { stored("m\($0)", seq: $0) }) }
    }

    @Test("what is kept stays, and keeping it again changes nothing")
    func keepingAgainChangesNothing() throws {
        for seq in 1...3 { #expect(try store.write { try $0.insert(stored("m\(seq)", seq: seq)) } == .inserted) }
        #expect(try store.write { try $0.insert(stored("other", seq: 2)) } == .known)
        #expect(try store.write { try $0.insert(stored("m4", seq: 4)) } == .inserted)
        #expect(try store.texts() == ["m1", "m2", "m3", "m4"])
    }

    @Test("one place holds one message, and one id stands at one place of its conversation")
    func onePlaceOneMessage() throws {
        try insert(1...2)
        #expect(try store.write { try $0.insert(stored("x", seq: 1, id: message(50))) } == .placeTaken)
        #expect(try store.write { try $0.insert(stored("x", seq: 9, id: message(1))) } == .idTaken)
        #expect(try store.write { try $0.insert(stored("x", seq: 1, in: conversation(2))) } == .inserted)
        #expect(try store.texts() == ["m1", "m2"])
        #expect(try store.texts(in: conversation(2)) == ["x"])
    }

    @Test("a message is found by its id, in its own conversation only")
    func foundByIDInItsConversation() throws {
        try insert(1...2)
        #expect(try store.read { try $0.message(message(2), in: conversation(1)) } == .whole(stored("m2", seq: 2)))
        #expect(try store.read { try $0.message(message(2), in: conversation(2)) } == nil)
        #expect(try store.read { try $0.message(message(3), in: conversation(1)) } == nil)
    }

    @Test(
        "a page has the newest before a sequence number, in ascending order",
        arguments: [
            (Int.max, 3, [8, 9, 10]), (.max, 0, []), (.max, -1, []), (.max, 50, Array(1...10)), (4, 2, [2, 3]),
            (1, 5, []), (100, 2, [9, 10]), (.min, 2, []),
        ])
    func pages(before seq: Int, _ limit: Int, _ expected: [Int]) throws {
        try insert(1...10)
        try store.write { try $0.insert(stored("other", seq: 5, in: conversation(2))) }
        try store.write { try $0.insert(stored("old", seq: 5, epoch: "before", id: message(77))) }
        #expect(try store.texts(before: seq, limit: limit) == expected.map { "m\($0)" })
    }

    @Test("holes are no matter to a page")
    func holesDoNotMatter() throws {
        try insert(1...2)
        try insert(7...8)
        #expect(try store.texts(before: 8, limit: 3) == ["m1", "m2", "m7"])
    }

    @Test("a message is replaced where it stands, and nowhere else")
    func replacedWhereItStands() throws {
        try insert(1...3)
        #expect(try store.write { try $0.replace(stored("edited", seq: 2, expiresAt: at(5))) })
        #expect(try !store.write { try $0.replace(stored("edited", seq: 4)) })
        #expect(try !store.write { try $0.replace(stored("edited", seq: 2, id: message(9))) })
        #expect(try !store.write { try $0.replace(stored("edited", seq: 2, epoch: "other")) })
        #expect(try store.texts() == ["m1", "edited", "m3"])
        let replaced = try store.read { try $0.message(message(2), in: conversation(1)) }
        #expect(replaced == .whole(stored("edited", seq: 2, expiresAt: at(5))))
    }

    @Test("what is to expire goes when its time has come")
    func expiredGoesInTime() throws {
        try store.write { transaction in
            try transaction.insert([
                stored("stays", seq: 1), stored("goes", seq: 2, expiresAt: at(10)),
                stored("later", seq: 3, expiresAt: at(11)),
            ])
        }
        try store.write { try $0.removeExpired(at: at(9)) }
        #expect(try store.texts() == ["stays", "goes", "later"])
        try store.write { try $0.removeExpired(at: at(10)) }
        #expect(try store.texts() == ["stays", "later"])
    }
}
