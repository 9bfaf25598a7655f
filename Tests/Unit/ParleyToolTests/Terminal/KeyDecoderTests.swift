import Testing

@testable import parley

@Suite("Keys from a terminal's bytes")
struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.decode(text.utf8)
    }

    @Test(
        "each key is known by what terminals send for it",
        arguments: [
            ("\r", .enter), ("\n", .enter), ("\u{7F}", .backspace), ("\u{8}", .backspace), ("\u{1}", .home),
            ("\u{5}", .end), ("\u{B}", .deleteToEnd), ("\u{15}", .deleteToStart), ("\u{17}", .deleteWord),
            ("\u{19}", .restore), ("\u{3}", .interrupt), ("\u{4}", .endOfInput),
            ("\u{C}", .redraw), ("\u{1B}[A", .up), ("\u{1B}OA", .up), ("\u{1B}[B", .down), ("\u{1B}[C", .right),
            ("\u{1B}[D", .left), ("\u{1B}[1;5C", .wordRight), ("\u{1B}[1;5D", .wordLeft), ("\u{1B}b", .wordLeft),
            ("\u{1B}f", .wordRight), ("\u{1B}[H", .home), ("\u{1B}OH", .home), ("\u{1B}[1~", .home),
            ("\u{1B}[F", .end), ("\u{1B}[4~", .end), ("\u{1B}[3~", .delete), ("\u{1B}[5~", .pageUp),
            ("\u{1B}[6~", .pageDown), ("\u{1B}\r", .newLine), ("\u{1B}\u{7F}", .deleteWord),
        ] as [(String, Key)])
    func known(bytes: String, key: Key) {
        #expect(keys(bytes) == [key])
        #expect(keys("a\(bytes)b") == [.text("a"), key, .text("b")])
    }

    @Test("text comes whole, however the bytes are cut")
    func pieces() {
        let text = "Grüße, 日本 👩‍👩‍👧 \u{1B}[200~pasted ✓\u{1B}[201~\u{1B}[1;5Cend"
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var decoder = KeyDecoder()
            let keys = decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...])
            #expect(keys.typed == "Grüße, 日本 👩‍👩‍👧 end", "cut at \(cut)")
            #expect(keys.filter { !$0.isText } == [.paste("pasted ✓"), .wordRight], "cut at \(cut)")
        }
        var decoder = KeyDecoder()
        #expect(bytes.flatMap { decoder.decode([$0]) }.typed == "Grüße, 日本 👩‍👩‍👧 end")
    }

    @Test("a paste holds what would be keys, and ends at its end only")
    func paste() {
        #expect(keys("\u{1B}[200~a\r\u{3}\u{1B}[Ab\u{1B}[201~c") == [.paste("a\r\u{3}\u{1B}[Ab"), .text("c")])
        #expect(keys("\u{1B}[200~\u{1B}\u{1B}[201\u{1B}[201~") == [.paste("\u{1B}\u{1B}[201")])
        #expect(keys("\u{1B}[200~\u{1B}[201~x") == [.paste(""), .text("x")])
    }

    @Test(
        "what a terminal answers for its attributes is no key, wherever it comes between keys, and in whatever pieces")
    func attributes() {
        let bytes = Array("a\u{1B}[?62;4;22cb".utf8)
        for cut in 0...bytes.count {
            var decoder = KeyDecoder()
            let keys = decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...])
            #expect(keys == [.text("a"), .attributes([62, 4, 22]), .text("b")], "cut at \(cut)")
        }
        #expect(keys("\u{1B}[?c") == [.attributes([1])])
        #expect(keys("\u{1B}[?99999999999999999999;4c") == [.attributes([1, 4])])
        #expect(keys("\u{1B}[?" + String(repeating: "9;", count: 10_000) + "cx").last == .text("x"))
        #expect(keys("\u{1B}[?1;2A\u{1B}[?5~\u{1B}[c\u{1B}[>1;2c") == [])
    }

    @Test("what is not known is left out whole")
    func unknown() {
        #expect(keys("a\u{1B}[99;3~\u{1B}[<0;1;2M\u{1B}[?1;2nb") == [.text("a"), .text("b")])
        #expect(keys("\u{0}\u{1D}\u{1B}z") == [])
        #expect(keys("\u{1B}\u{1B}[A") == [.up])
        #expect(keys("\u{1B}[\u{1B}[A") == [.up])
        #expect(keys("\u{1B}[" + String(repeating: "9;", count: 10_000) + "Ax").typed == "x")
    }

    @Test("bytes that are no UTF-8 show as such and nothing of them waits")
    func malformed() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xFF, 0x61, 0xC3]) == [.text("\u{FFFD}a")])
        #expect(decoder.decode([0x0D]) == [.text("\u{FFFD}"), .enter])
        #expect(decoder.decode([0x80, 0x80, 0x80, 0x80]).typed == String(repeating: "\u{FFFD}", count: 4))
    }

    @Test("a paste without an end is bounded")
    func endless() {
        var decoder = KeyDecoder()
        _ = decoder.decode("\u{1B}[200~".utf8)
        for _ in 0..<20 { #expect(decoder.decode([UInt8](repeating: 0x61, count: 1 << 17)) == []) }
        #expect(
            decoder.decode("\u{1B}[201~".utf8) == [.paste(String(repeating: "a", count: KeyDecoder.longestPaste))])
    }
}

extension [Key] {
    /// All that was typed.
    fileprivate var typed: String {
        reduce(into: "") { result, key in
            if case .text(let text) = key { result += text }
        }
    }
}

extension Key {
    fileprivate var isText: Bool {
        if case .text = self { return true }
        return false
    }
}
