import Testing

@testable import parley

@Suite("The line that is written")
struct LineEditorTests {
    /// The text with `|` where the cursor stands, after some keys.
    private func line(_ keys: Key...) -> String {
        var editor = LineEditor()
        for key in keys { _ = editor.apply(key) }
        _ = editor.apply(.text("|"))
        return editor.text
    }

    @Test("keys move and delete as readers of lines do")
    func keys() {
        #expect(line(.text("ab"), .left, .text("x")) == "ax|b")
        #expect(line(.text("ab"), .left, .left, .left, .right, .right, .right) == "ab|")
        #expect(line(.text("ab"), .home, .delete, .delete, .delete) == "|")
        #expect(line(.text("ab"), .home, .backspace, .end, .backspace) == "a|")
        #expect(line(.text("one two  three"), .deleteWord) == "one two  |")
        #expect(line(.text("one two  "), .deleteWord, .deleteWord, .deleteWord) == "|")
        #expect(line(.text("one two"), .wordLeft, .deleteToEnd) == "one |")
        #expect(line(.text("one two"), .wordLeft, .deleteToStart) == "|two")
        #expect(line(.text("one two"), .deleteWord, .home, .restore) == "two|one ")
        #expect(line(.text("one two"), .home, .wordRight, .wordRight, .wordRight) == "one two|")
        #expect(line(.text("ab"), .left, .endOfInput) == "a|")
        #expect(line(.text("ab"), .interrupt) == "|")
    }

    @Test("a character is one, of however many bytes and scalars")
    func characters() {
        #expect(line(.text("a👩‍👩‍👧é"), .backspace, .backspace) == "a|")
        #expect(line(.text("日本"), .left, .text("x")) == "日x|本")
        #expect(line(.text("e"), .text("\u{301}"), .backspace) == "|")
    }

    @Test("what ends the line, the chat or the pause is told")
    func outcomes() {
        var editor = LineEditor()
        #expect(editor.apply(.endOfInput) == .end)
        #expect(editor.apply(.interrupt) == .interrupt)
        #expect(editor.apply(.text("hi")) == .edited)
        #expect(editor.apply(.endOfInput) == .edited)
        #expect(editor.apply(.enter) == .submitted("hi"))
        #expect(editor.text.isEmpty)
        #expect(editor.apply(.enter) == .submitted(""))
        #expect(editor.apply(.pageUp) == .scroll(up: true))
    }

    @Test("lines of before are called up, and what was being written comes back")
    func past() {
        var editor = LineEditor()
        for line in ["one", "two", "two"] { _ = (editor.apply(.text(line)), editor.apply(.enter)) }
        _ = editor.apply(.text("draft"))
        let shown = [Key.up, .up, .up, .down, .down, .down].map { key in
            _ = editor.apply(key)
            return editor.text
        }
        #expect(shown == ["two", "one", "one", "two", "draft", "draft"])
    }

    @Test("a pasted text keeps its line ends and loses its controls; a typed one has none")
    func pasted() {
        #expect(line(.paste("a\r\nb\rc\n\u{1B}[2Jd\te\u{9B}")) == "a\nb\nc\n[2Jd\te|")
        #expect(line(.text("a\u{9B}b")) == "ab|")
        #expect(line(.text("a"), .newLine, .text("b")) == "a\nb|")
    }

    @Test("a line does not grow beyond a message, and none of what is too much is taken")
    func tooLong() {
        var editor = LineEditor()
        let most = String(repeating: "a", count: LineEditor.longestText)
        #expect(editor.apply(.paste(most)) == .edited)
        #expect(editor.apply(.text("b")) == .tooLong)
        #expect(editor.text == most)
    }

    @Test("the part around the cursor is seen, by columns")
    func visible() {
        var editor = LineEditor()
        _ = editor.apply(.paste("日本語\tabc\ndef"))
        #expect(editor.visible(columns: 40) == ("日本語⇥abc↵def", 14))
        #expect(editor.visible(columns: 8) == ("abc↵def", 7))
        #expect(editor.visible(columns: 11) == ("語⇥abc↵def", 10))
        _ = editor.apply(.home)
        #expect(editor.visible(columns: 5) == ("日本", 0))
        #expect(editor.visible(columns: 0).cursor == 0)
    }
}
