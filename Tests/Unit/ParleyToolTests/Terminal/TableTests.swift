import Testing

@testable import parley

@Suite("Tables")
struct TableTests {
    @Test("columns are as wide as their widest cell, and nothing in them reaches the terminal")
    func columns() {
        var table = Table(headings: ["USER", "NAME", "DEVICES"])
        table.add(["alice", "Alice\u{1B}[1m", "phone tv"])
        table.add(["b", "Bob", ""])
        #expect(
            table.lines == [
                "USER   NAME            DEVICES", "alice  Alice\\u{1b}[1m  phone tv", "b      Bob",
            ])
    }
}
