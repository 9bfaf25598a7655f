import ParleyProtocol
import TestNames
import Testing

@testable import ParleyDeviceStore

@Suite("Stored messages across epochs")
struct ChapterTests {
    private let store: DeviceStore

    init() throws { store = try DeviceStore.inMemory(device: phone, searchable: searchable) }

    private func insert(_ seqs: ClosedRange<Int>, epoch: String, chapter: Int, ids first: UInt64) throws {
        try store.write { transaction in
            for (number, seq) in seqs.enumerated() {
                var message = stored("\(epoch)\(seq)", seq: seq, epoch: epoch, id: message(first + UInt64(number)))
                message.chapter = chapter
                try transaction.insert(message)
            }
        }
    }

    private func texts(_ anchor: ChapterAnchor, limit: Int = 100) throws -> [String?] {
        try store.read { try $0.messages(in: conversation(1), anchor, limit: limit).map(\.text) }
    }

    @Test(
        "a page goes over the end of a chapter both ways",
        arguments: [
            (.newest, 3, ["a5", "b2", "b3"]), (.before(ChapterPosition(chapter: 1, seq: 2)), 2, ["a4", "a5"]),
            (.before(ChapterPosition(chapter: 0, seq: 4)), 5, ["a3"]),
            (.before(ChapterPosition(chapter: 0, seq: 3)), 5, []),
            (.after(ChapterPosition(chapter: 0, seq: 4)), 2, ["a5", "b2"]),
            (.after(ChapterPosition(chapter: 1, seq: 3)), 2, []),
            (.after(ChapterPosition(chapter: 0, seq: 0)), 1, ["a3"]),
            (.around(ChapterPosition(chapter: 1, seq: 2)), 4, ["a4", "a5", "b2", "b3"]),
            (.newest, 0, []), (.newest, -1, []),
        ] as [(ChapterAnchor, Int, [String])])
    func pages(_ anchor: ChapterAnchor, _ limit: Int, _ expected: [String]) throws {
        try insert(3...5, epoch: "a", chapter: 0, ids: 10)
        try insert(2...3, epoch: "b", chapter: 1, ids: 20)
        #expect(try texts(anchor, limit: limit) == expected)
    }

    @Test("an id that stands in another epoch is handed back, and may be moved")
    func idInAnotherEpoch() throws {
        try insert(1...2, epoch: "a", chapter: 0, ids: 10)
        var again = stored("again", seq: 2, epoch: "b", id: message(11))
        again.chapter = 1
        guard case .earlier(let held) = try store.write({ try $0.insert(again) }) else {
            Issue.record("it was inserted")
            return
        }
        #expect(held.text == "a2" && held.chapterPosition == ChapterPosition(chapter: 0, seq: 2))
        #expect(try store.write { try $0.move(held.position, to: again) })
        #expect(try texts(.newest) == ["a1", "again"])
        #expect(try store.write { try $0.insert(again) } == .known)
        // It is gone from where it was.
        #expect(try !store.write { try $0.move(held.position, to: again) })
    }

    @Test("no place that is taken is taken from what stands there")
    func takenPlaceStays() throws {
        try insert(1...3, epoch: "a", chapter: 0, ids: 10)
        try insert(1...1, epoch: "b", chapter: 1, ids: 20)
        // The place in the epoch.
        #expect(
            try !store.write {
                try $0.move(
                    stored("", seq: 2, epoch: "a", id: message(11)).position,
                    to: stored("x", seq: 1, epoch: "b", id: message(11)))
            })
        #expect(try texts(.newest) == ["a1", "a2", "a3", "b1"])
        // The place in the chapter: it gets one of its own.
        #expect(try store.write { try $0.insert(stored("c1", seq: 1, epoch: "c", id: message(30))) } == .inserted)
        #expect(try texts(.newest) == ["a1", "a2", "a3", "b1", "c1"])
    }
}
