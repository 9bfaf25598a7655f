import ParleyDeviceStore
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("What is kept of a history that began anew", .seeded)
struct ChapterTests {
    private static let alice = device("alice/phone")
    private static let bob = device("bob/phone")
    private static let conversation = ConversationID.random()

    private let store: DeviceStore

    init() throws { store = try DeviceStore.inMemory(device: Self.alice) }

    private static func message(
        _ id: MessageID, _ epoch: String, _ seq: Int, kind: RecordKind = .message, target: MessageID? = nil,
        text: String? = nil, by sender: DeviceAddress = bob
    ) -> KeptMessage {
        let record = MessageRecord.sample(
            seq, id: id, in: conversation, epoch: epoch, kind: kind, target: target, by: sender,
            sealed: text == nil ? [1, 2] : nil, at: Int64(seq))
        return KeptMessage(record: record, content: text.map(textJSON))
    }

    @discardableResult
    private func keep(_ messages: [KeptMessage], chapter: Int) throws -> Keeping {
        var messages = messages
        return try store.write { try $0.save(&messages, of: Self.alice, chapter: chapter) }
    }

    private func kept() throws -> [KeptMessage] {
        try store.read { snapshot in
            try snapshot.messages(in: Self.conversation, ChapterAnchor.newest, limit: .max, .everything)
                .compactMap { KeptMessage($0) }
        }
    }

    private func texts() throws -> [String?] {
        try kept().map { $0.shownContent.map { String(decoding: $0.dropFirst(9).dropLast(2), as: UTF8.self) } }
    }

    @Test("what the gateway has no more stays between what both have and what is new, each once and as it was read")
    func restored() throws {
        let ids = (0..<8).map { _ in MessageID.random() }
        try keep((1...5).map { Self.message(ids[$0], "old", $0, text: "m\($0)") }, chapter: 0)
        // Put back to 3; two came since, and this device has read the newest page: it cannot open what comes again.
        let newest =
            [Self.message(ids[3], "new", 3)] + (4...5).map { Self.message(ids[$0 + 2], "new", $0, text: "n\($0)") }
        let keeping = try keep(newest, chapter: 1)
        #expect(keeping.known == [ids[3]])
        #expect(try texts() == ["m1", "m2", "m3", "m4", "m5", "n4", "n5"])
        try keep((1...2).map { Self.message(ids[$0], "new", $0) }, chapter: 1)
        #expect(try texts() == ["m1", "m2", "m3", "m4", "m5", "n4", "n5"])
        #expect(try kept().map(\.record.epoch) == ["new", "new", "new", "old", "old", "new", "new"])
        #expect(try kept().map(\.chapter) == [0, 0, 0, 0, 0, 1, 1])
    }

    @Test("what this device never had of the old epoch, and both share, comes before what it had")
    func older() throws {
        let ids = (0...20).map { _ in MessageID.random() }
        try keep((6...9).map { Self.message(ids[$0], "old", $0, text: "m\($0)") }, chapter: 0)
        try keep((4...7).map { Self.message(ids[$0], "new", $0, text: "again\($0)") }, chapter: 1)
        try keep([Self.message(ids[20], "new", 8, text: "n8")], chapter: 1)
        try keep((1...3).map { Self.message(ids[$0], "new", $0, text: "first\($0)") }, chapter: 1)
        #expect(
            try texts() == [
                "first1", "first2", "first3", "again4", "again5", "m6", "m7", "m8", "m9", "n8",
            ])
    }

    @Test("one that opens only when it comes again has the header that it opened under, not the one of before")
    func opensLater() throws {
        let id = MessageID.random()
        func record(_ epoch: String, replyTo: MessageID?) -> MessageRecord {
            .sample(1, id: id, in: Self.conversation, epoch: epoch, by: Self.bob, sealed: [1, 2], replyTo: replyTo)
        }
        // The gateway says at first that it answers another message, under which header it does not open.
        try keep([KeptMessage(record: record("old", replyTo: .random()))], chapter: 0)
        try keep([KeptMessage(record: record("new", replyTo: nil)).opened(textJSON("Hello"))], chapter: 1)
        #expect(try texts() == ["Hello"])
        #expect(try kept().map(\.record.replyTo) == [nil] && kept().map(\.record.epoch) == ["new"])
    }

    @Test("one that comes again at another place moves there, and keeps what it said")
    func moved() throws {
        let ids = (0..<4).map { _ in MessageID.random() }
        try keep((1...3).map { Self.message(ids[$0], "old", $0, text: "m\($0)") }, chapter: 0)
        try keep([Self.message(ids[2], "new", 1), Self.message(ids[0], "new", 2, text: "n2")], chapter: 1)
        #expect(try texts() == ["m1", "m3", "m2", "n2"])
        #expect(try kept().map(\.record.seq) == [1, 3, 1, 2])
    }

    @Test("somebody else's under the id of what is kept is a replay, in its place, and takes nothing away")
    func forged() throws {
        let id = MessageID.random()
        try keep([Self.message(id, "old", 1, text: "mine")], chapter: 0)
        try keep([Self.message(id, "new", 1, text: "forged", by: Self.alice)], chapter: 1)
        #expect(try kept().map(\.isReplay) == [false, true])
        #expect(try texts().first == "mine")
    }

    @Test("a later edit counts wherever it was made; a lost one counts more than those that both epochs have")
    func edits() throws {
        let (id, shared, lost, new) = (MessageID.random(), MessageID.random(), MessageID.random(), MessageID.random())
        let edits = [
            Self.message(shared, "old", 2, kind: .edit, target: id, text: "shared"),
            Self.message(lost, "old", 9, kind: .edit, target: id, text: "lost"),
        ]
        try keep([Self.message(id, "old", 1, text: "first")] + edits, chapter: 0)
        #expect(try texts().first == "lost")
        try keep([Self.message(shared, "new", 2, kind: .edit, target: id, text: "shared")], chapter: 1)
        #expect(try texts().first == "lost")
        // It is about a message that stands in the old epoch still: this device has not read so far back.
        try keep([Self.message(new, "new", 3, kind: .edit, target: id, text: "new")], chapter: 1)
        #expect(try texts().first == "new")
        try keep([Self.message(id, "new", 1, text: "first")], chapter: 1)
        #expect(try texts().first == "new")
        #expect(try kept().count == 4)
    }

    @Test("what was deleted and comes back stays deleted")
    func deleted() throws {
        let (id, deletion) = (MessageID.random(), MessageID.random())
        try keep(
            [
                Self.message(id, "old", 1, text: "first"),
                Self.message(deletion, "old", 2, kind: .delete, target: id, text: ""),
            ], chapter: 0)
        try keep([Self.message(id, "new", 1, text: "first")], chapter: 1)
        let message = try #require(try kept().first)
        #expect(message.changes.isRemoved && message.shownContent == nil && message.record.epoch == "new")
    }

    @Test("whatever was put back how often, and read in whatever pages: everything, once, in the order of its making")
    func random() throws {
        var generator = Seeded(stream: 2301)
        for _ in 0..<150 {
            let store = try DeviceStore.inMemory(device: Self.alice)
            // Each log is the one before it up to where it was put back to, and goes on with others.
            var logs: [[MessageID]] = [(0..<generator.number(3...30)).map { _ in .random() }]
            var held: Set<MessageID> = []
            var order: [MessageID: ChapterPosition] = [:]
            for chapter in 0...generator.number(1...4) {
                var log = logs[chapter]
                for (index, id) in log.enumerated() where order[id] == nil {
                    order[id] = ChapterPosition(chapter: chapter, seq: index + 1)
                }
                let fork = generator.number(1...log.count)
                // Read back so far that it meets what both have; at the end, back to the first.
                var low = log.count + 1
                let lowest = chapter == 0 ? generator.number(1...fork) : 1
                while low > lowest {
                    let top = low
                    low = max(lowest, low - generator.number(1...9))
                    var page = (low..<top).map { seq in
                        let isKnown = held.contains(log[seq - 1])
                        return Self.message(log[seq - 1], "\(chapter)", seq, text: isKnown ? nil : "\(log[seq - 1])")
                    }
                    held.formUnion(page.map(\.record.id))
                    _ = try store.write { try $0.save(&page, of: Self.alice, chapter: chapter) }
                    if chapter > 0, generator.chance(0.1) { break }
                }
                log.removeSubrange(fork...)
                log += (0..<generator.number(0...12)).map { _ in .random() }
                logs.append(log)
                if low > 1, chapter > 0 { break }
            }
            let kept = try store.read {
                try $0.messages(in: Self.conversation, ChapterAnchor.newest, limit: .max).compactMap { KeptMessage($0) }
            }
            #expect(Set(kept.map(\.record.id)) == held && kept.count == held.count)
            #expect(kept.allSatisfy { $0.content != nil })
            for (one, next) in zip(kept, kept.dropFirst()) where one.record.epoch == next.record.epoch {
                #expect(one.record.seq < next.record.seq)
            }
            let places = kept.compactMap { order[$0.record.id] }
            // The last one was read back to the first message: then nothing is left to guess.
            if kept.first?.record.seq == 1 { #expect(places == places.sorted()) }
        }
    }

    @Test("epochs that never end cost a number, and neither memory nor what is kept")
    func endless() throws {
        var entry = FollowedConversation(Self.conversation)
        let ids = (0..<3000).map { _ in MessageID.random() }
        var sizes: Set<Int> = []
        for (number, id) in ids.enumerated() {
            entry.begin(epoch: "epoch \(number)", own: Self.alice.user)
            try keep([Self.message(id, "epoch \(number)", 1, text: "m\(number)")], chapter: entry.chapter)
            let state = entry.kept(own: Self.alice.user)
            if number >= 2000 { sizes.insert(state.object?.count ?? 0) }
            #expect(entry.past.count <= PastEpoch.most)
        }
        #expect(try kept().map(\.record.id) == ids)
        #expect(sizes.count == 1)
    }
}
