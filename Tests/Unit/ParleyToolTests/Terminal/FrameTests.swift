import Testing

@testable import parley

@Suite("What a terminal is made to show")
struct FrameTests {
    private func frame(_ rows: [String], columns: Int = 20, cursor: Int = 0) -> Frame {
        Frame(
            size: TerminalSize(columns: columns, rows: 3), rows: rows.map { StyledText($0) },
            cursor: Frame.Position(row: 2, column: cursor))
    }

    private func text(_ frame: Frame, after previous: Frame? = nil) -> String {
        String(decoding: frame.bytes(after: previous), as: UTF8.self)
    }

    @Test("the first frame clears everything, the next ones set the rows that differ")
    func difference() {
        let first = frame(["one", "two", "> "])
        #expect(
            text(first)
                == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[0m\u{1B}[K\u{1B}[0mone\u{1B}[2;1H\u{1B}[0m\u{1B}[K\u{1B}[0mtwo"
                + "\u{1B}[3;1H\u{1B}[0m\u{1B}[K\u{1B}[0m> \u{1B}[0m\u{1B}[3;1H\u{1B}[?25h")
        #expect(text(first, after: first).isEmpty)
        #expect(
            text(frame(["one", "2", "> "], cursor: 2), after: first)
                == "\u{1B}[?25l\u{1B}[2;1H\u{1B}[0m\u{1B}[K\u{1B}[0m2\u{1B}[0m\u{1B}[3;3H\u{1B}[?25h")
        #expect(text(frame(["one"]), after: first).contains("\u{1B}[2;1H\u{1B}[0m\u{1B}[K"))
        #expect(text(frame(["one", "two", "> "], columns: 30), after: first).contains("\u{1B}[2J"))
    }

    @Test("with NO_COLOR there is no colour, and what one would say is bold or a mark")
    func colours() {
        let palette = Palette { $0 == "NO_COLOR" ? "1" : nil }
        let styles: [Style] = [.plain, .bold, .faint, .warning, .name, .ownName, .good, .reversed]
        let row = styles.reduce(StyledText()) { $0 + StyledText("x", $1) }
        let drawn = Frame(
            size: TerminalSize(columns: 20, rows: 1), rows: [row], cursor: Frame.Position(row: 0, column: 0))
        func parameters(_ palette: Palette) -> Set<String> {
            Set(
                String(decoding: drawn.bytes(after: nil, palette), as: UTF8.self)
                    .split(separator: "\u{1B}").filter { $0.hasPrefix("[") && $0.contains("m") }
                    .map { String($0.dropFirst().prefix { $0 != "m" }) })
        }
        #expect(parameters(palette) == ["0", "0;1", "0;2", "0;7"])
        #expect(parameters(Palette { _ in nil }).isSuperset(of: ["0;1;33", "0;1;36", "0;1;32", "0;36"]))
    }

    @Test("no row is longer than the terminal is wide, and the cursor stays on it")
    func cut() {
        #expect(text(frame(["日本語日本"], columns: 5, cursor: 99)).contains("日本\u{1B}[0m"))
        #expect(text(frame(["日本語日本"], columns: 5, cursor: 99)).hasSuffix("\u{1B}[3;5H\u{1B}[?25h"))
    }

    @Test(
        "nothing that somebody wrote reaches the terminal as a command",
        arguments: [
            "\u{1B}[2J", "\u{1B}]0;title\u{7}", "\u{9B}31m", "a\rb", "\u{8}\u{8}", "\u{202E}abc", "\u{2066}", "\n",
            "\u{1B}", "\u{85}", "\u{0}",
        ])
    func hostile(text: String) {
        let row = StyledText(text, .bold) + StyledText(text)
        for scalar in row.text.unicodeScalars {
            #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar != "\u{202E}")
        }
        #expect(text.printableLines.allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }

    @Test("marks are not piled up without end")
    func marks() {
        let pile = "a" + String(repeating: "\u{301}", count: 10_000) + "b"
        #expect(pile.printable.unicodeScalars.count == 14)
        #expect("👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿 é क्षि".printable == "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿 é क्षि")
    }

    @Test(
        "columns are counted as terminals do",
        arguments: [
            ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한국", 4), ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2),
            ("❤", 1), ("❤️", 2), ("1", 1), ("✓✓", 2), ("…", 1), ("\u{200B}", 0), ("ｆ", 2), ("─", 1), ("क्षि", 3),
        ])
    func columns(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test("text is wrapped at spaces where there are some")
    func wrapping() {
        #expect("one two three".wrapped(toColumns: 8) == ["one two", "three"])
        #expect("one two three".wrapped(toColumns: 7) == ["one two", "three"])
        #expect("abcdefgh".wrapped(toColumns: 3) == ["abc", "def", "gh"])
        #expect("a abcdefgh".wrapped(toColumns: 4) == ["a", "abcd", "efgh"])
        #expect("日本語".wrapped(toColumns: 5) == ["日本", "語"])
        #expect("日本".wrapped(toColumns: 1) == ["日", "本"])
        #expect("".wrapped(toColumns: 5) == [""])
        #expect("ab   ".wrapped(toColumns: 2) == ["ab"])
        #expect("ab".wrapped(toColumns: 0) == ["a", "b"])
    }

    @Test("a terminal's size is bounded, whatever it says")
    func size() {
        #expect(TerminalSize(columns: 0, rows: -1) == TerminalSize(columns: 1, rows: 1))
        #expect(TerminalSize(columns: 1 << 20, rows: 1 << 20).columns == 1000)
    }
}
