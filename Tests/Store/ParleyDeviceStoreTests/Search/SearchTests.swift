import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyDeviceStore

@Suite("Search")
struct SearchTests {
    private let store: DeviceStore

    init() throws { store = try DeviceStore.inMemory(device: phone, searchable: searchable) }

    private func insert(_ texts: [String], from seq: Int = 1, in conversation: ConversationID = conversation(1)) throws
    {
        try store.write { transaction in
            for (index, text) in texts.enumerated() {
                try transaction.insert(stored(text, seq: seq + index, in: conversation))
            }
        }
    }

    private func found(_ text: String, in conversation: ConversationID? = nil, limit: Int = 50) throws -> [String?] {
        try store.search(SearchQuery(text, in: conversation, limit: limit)).map(\.text)
    }

    @Test(
        "a query finds what people mean by it",
        arguments: [
            ("morning", ["Good morning"]), ("MORN", ["Good morning"]), ("good", ["goods train", "Good morning"]),
            ("\"good\"", ["Good morning"]), ("morning good", ["Good morning"]), ("\"morning good\"", []),
            ("\"good morning\"", ["Good morning"]), ("“good morning”", ["Good morning"]),
            ("creme brulee", ["Crème brûlée"]), ("CRÈME", ["Crème brûlée"]), ("brulée crème", ["Crème brûlée"]),
            ("e-mail", ["my e-mail"]), ("\"e mail\"", ["my e-mail"]), ("привет", ["Привет, мир"]),
            ("мир", ["Привет, мир"]), ("日本", ["日本語です"]), ("nothing", []), ("", []), ("   ", []), ("*", []),
            ("\"", []), ("\"\"", []), ("-", []), ("good \"", ["goods train", "Good morning"]),
            ("good -", ["goods train", "Good morning"]), ("(good)", ["goods train", "Good morning"]),
            ("good OR привет", []), ("NOT good", []), ("text:good", []), ("a\0b", []),
        ] as [(String, [String])])
    func queries(_ text: String, _ expected: [String]) throws {
        try insert(["Good morning", "Crème brûlée", "my e-mail", "Привет, мир", "日本語です", "goods train"])
        #expect(try found(text) == expected)
    }

    @Test("newest first goes by the time of sending, whatever the order of arrival and the conversation")
    func newestByTimeOfSending() throws {
        try insert(["word five"], from: 5)
        try insert(["word four"], from: 4, in: conversation(2))
        try insert(["word one", "word two"], from: 1)
        #expect(try found("word") == ["word five", "word four", "word two", "word one"])
        #expect(try found("word", limit: 2) == ["word five", "word four"])
        #expect(try found("word", in: conversation(1)) == ["word five", "word two", "word one"])
        #expect(try found("word", in: conversation(3)).isEmpty)
        #expect(try found("word", limit: 0).isEmpty && found("word", limit: -5).isEmpty)
    }

    @Test("the index follows what is written, whether or not somebody has searched before", arguments: [false, true])
    func indexFollowsWrites(isBuilt: Bool) throws {
        try insert(["first apple", "second apple", "third apple"])
        if isBuilt { #expect(try found("apple").count == 3) }
        try store.write { transaction in
            try transaction.replace(stored("first pear", seq: 1))
            try transaction.replace(stored("third plum", seq: 3))
            try transaction.insert(stored("fourth apple", seq: 4, expiresAt: at(1)))
        }
        #expect(try found("apple") == ["fourth apple", "second apple"])
        try store.write { transaction in
            try transaction.replace(stored("second apple pie", seq: 2))
            try transaction.removeExpired(at: at(1))
            try transaction.enqueue(message(9), in: conversation(1), content: [1])
            _ = try transaction.finish(stored("ninth apple", seq: 9))
        }
        #expect(try found("apple") == ["ninth apple", "second apple pie"])
        #expect(try found("pear") == ["first pear"])
        try store.write { transaction in
            try transaction.move(
                stored("", seq: 9).position, to: stored("ninth apple tree", seq: 9, epoch: "new", id: message(9)))
        }
        #expect(try found("apple") == ["ninth apple tree", "second apple pie"])
        #expect(try found("tree") == ["ninth apple tree"])
    }

    @Test("what is rolled back is not found")
    func rolledBackIsNotFound() throws {
        try insert(["apple"])
        #expect(try found("apple").count == 1)
        struct RefusedError: Error {}
        _ = try? store.write { transaction in
            try transaction.replace(stored("pear", seq: 1))
            throw RefusedError()
        }
        #expect(try found("apple") == ["apple"] && found("pear").isEmpty)
    }

    @Test("what has no text is kept and not found, also once it had one")
    func withoutTextIsNotFound() throws {
        try store.write { try $0.insert(stored("apple", seq: 1)) }
        #expect(try found("apple").count == 1)
        let position = stored("apple", seq: 1).position
        try store.write { try $0.replace(StoredMessage(position: position, payload: Array("no bar".utf8))) }
        #expect(try found("apple").isEmpty)
    }

    @Test("what is indexed is bounded, and the oldest are left out")
    func indexIsBounded() throws {
        let store = try TemporaryDirectory().open(textLimit: 30)
        func found() throws -> [Int] { try store.search(SearchQuery("apple")).map(\.position.seq) }
        try store.write { try $0.insert((1...9).map { stored("apple \($0)...", seq: $0) }) }
        #expect(try found() == [9, 8, 7])
        // What is written meanwhile is found; what was left out stays out.
        try store.write { transaction in
            try transaction.insert(stored("apple 10", seq: 10))
            try transaction.replace(stored("apple 1!", seq: 1))
            try transaction.replace(stored("pear", seq: 8))
        }
        #expect(try found() == [10, 9, 7])
        try store.write { try $0.insert((11...20).map { stored("apple \($0)..", seq: $0) }) }
        #expect(try found() == [20, 19, 18])
    }

    /// A store that is searched at every step finds the same as one that is searched for the first time.
    @Test("an index that followed finds what a new one finds", .seeded, arguments: 0..<10)
    func followingIndexFindsTheSame(run: Int) throws {
        var random = Seeded(stream: UInt64(420 + run))
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        let words = ["apple", "pear", "plum", "fig"]
        func text() -> String {
            (0..<3).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
        }
        for _ in 0..<150 {
            let seq = Int.random(in: 1...30, using: &random)
            try store.write { transaction in
                switch Int.random(in: 0..<6, using: &random) {
                case 0...2:
                    try transaction.insert(stored(text(), seq: seq, expiresAt: seq % 3 == 0 ? at(Int64(seq)) : nil))
                case 3, 4: try transaction.replace(stored(text(), seq: seq))
                default: try transaction.removeExpired(at: at(Int64(seq)))
                }
            }
            if Int.random(in: 0..<10, using: &random) == 0 { _ = try store.search(SearchQuery("apple")) }
        }
        let followed = try words.map { try store.search(SearchQuery($0)) }
        try store.close()
        let new = try directory.open()
        #expect(try words.map { try new.search(SearchQuery($0)) } == followed)
        #expect(followed.contains { !$0.isEmpty })
    }
}
