import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyDeviceStore

@Suite("Search for hostile text")
struct HostileQueryTests {
    private let store: DeviceStore

    init() throws { store = try DeviceStore.inMemory(device: phone, searchable: searchable) }

    @Test("every naughty string is a query, and one with a word in it finds its own message", .vectors)
    func naughtyStrings() throws {
        let strings = try Vectors.naughtyStrings()
        try store.write { transaction in
            for (index, string) in strings.enumerated() { try transaction.insert(stored(string, seq: index + 1)) }
        }
        var found = 0
        for (index, string) in strings.enumerated() {
            // Both as it is, and as a phrase.
            for text in [string, "\"" + string.replacing("\"", with: " ") + "\""] {
                let query = SearchQuery(text, limit: 200)
                let seqs = try store.search(query).map(\.position.seq)
                guard !query.terms.isEmpty, query.terms.count < SearchQuery.maximumTerms else { continue }
                if seqs.contains(index + 1) { found += 1 }
            }
        }
        // Some hold nothing that the tokenizer takes for a word.
        #expect(strings.count > 100 && found > strings.count)
    }

    @Test(
        "the syntax of the search engine is text",
        arguments: [
            "a AND", "AND", "OR OR", "NEAR(a b, 5)", "NEAR(", "NOT", "text : a", "{text} : a", "^a", "a*", "*a",
            "a + b",
            "+", "(", ")", "((a)", "a\" OR \"b", "\"\"\"", "'; DROP TABLE words; --", "rank MATCH 'x'", "-text: a",
            "words", "a^2", "\u{0}", "a\u{0}\" b", "\u{FEFF}a", "\u{202E}abc", "👩‍👩‍👧‍👦", "\u{301}", "ﬁ",
        ])
    func syntax(_ text: String) throws {
        try store.write { try $0.insert(stored("something else", seq: 1)) }
        #expect(try store.search(SearchQuery(text)).isEmpty)
    }

    @Test("a query of any length is answered")
    func anyLength() throws {
        try store.write { try $0.insert(stored("aaa bbb", seq: 1)) }
        for text in [
            String(repeating: "a ", count: 100_000), String(repeating: "a", count: 1_000_000),
            String(repeating: "\"", count: 10_000), String(repeating: "\"a\" ", count: 10_000),
        ] {
            _ = try store.search(SearchQuery(text))
        }
        #expect(try store.search(SearchQuery(String(repeating: "aaa ", count: 1000))).count == 1)
    }

    @Test("random text is a query", .seeded, arguments: 0..<4)
    func randomText(run: Int) throws {
        var random = Seeded(stream: UInt64(430 + run))
        try store.write { try $0.insert(stored("something", seq: 1)) }
        let alphabet = Array("ab \"'*()^:+-{}\0,ÄéAND OR NOT NEAR\u{2028}\u{AD}日🙂").map(String.init)
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...20, using: &random))
                .map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
            #expect(throws: Never.self) { try store.search(SearchQuery(text)) }
        }
    }
}
