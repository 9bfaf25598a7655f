import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("What has been said")
struct TranscriptTests {
    @Test("messages stand in the conversation's order, however they come, those without a place last")
    func order() {
        var transcript = Transcript()
        for line in [line("c", seq: 3), line("x"), line("a", seq: 1), line("e", seq: 5), line("y"), line("b", seq: 2)] {
            transcript.insert(line)
        }
        #expect(transcript.texts == ["a", "b", "c", "e", "x", "y"])
        let first = transcript.items.first?.line?.key
        guard case .id(let oldest)? = transcript.oldestPoint else {
            Issue.record("older ones are asked for by a message")
            return
        }
        #expect(first == .message(oldest))
    }

    @Test("what the gateway has no more stands before what came after it was put back, whatever the numbers")
    func chapters() {
        var transcript = Transcript()
        for (text, seq, chapter) in [("n4", 4, 1), ("m3", 3, 0), ("m5", 5, 0), ("n3", 3, 1)] {
            transcript.insert(line(text, position: position(seq, chapter: chapter)))
        }
        #expect(transcript.texts == ["m3", "m5", "n3", "n4"])
        #expect(transcript.isBefore(position(2)) && !transcript.isBefore(position(1, chapter: 1)))
        #expect(transcript.newestReceived?.position == position(4, chapter: 1))
    }

    @Test("a message is there once; with its place it stands there")
    func once() throws {
        var transcript = Transcript()
        let queued = line("mine", look: .own(.queued))
        transcript.insert(queued)
        transcript.insert(line("theirs", seq: 1))
        transcript.insert(queued)
        #expect(transcript.texts == ["theirs", "mine"])
        transcript.insert(line("later", seq: 3))
        transcript.insert(line("mine", seq: 2, key: queued.key, look: .own(.sent)))
        #expect(transcript.texts == ["theirs", "mine", "later"])
        transcript.insert(line("a copy", seq: 4, key: .copy(position(4)), look: .unreadable))
        transcript.insert(line("a copy", seq: 4, key: .copy(position(4)), look: .unreadable))
        #expect(transcript.texts == ["theirs", "mine", "later", "a copy"])
        transcript.append("read again")
        transcript.removeMessages()
        #expect(transcript.texts == ["read again"])
    }

    @Test("marks move forward, on one's own messages; one that was set aside may be sent after all")
    func marks() {
        var transcript = Transcript()
        let ids = (1...3).map { _ in MessageID.random() }
        for (seq, id) in ids.enumerated() {
            transcript.insert(line("\(seq)", seq: seq, key: .message(id), look: seq == 2 ? .received : .own(.sent)))
        }
        transcript.mark(ids[0], .read)
        transcript.mark(ids[0], .delivered)
        transcript.mark(ids[1], .failed)
        transcript.mark(ids[2], .read)
        #expect(transcript.looks == [.own(.read), .own(.failed), .received])
        transcript.mark(ids[1], .queued)
        #expect(transcript.looks == [.own(.read), .own(.queued), .received])
    }

    @Test("what the chat says stays between what was said before and after")
    func notices() {
        var transcript = Transcript()
        transcript.insert(line("a", seq: 1))
        transcript.append("hello")
        transcript.insert(line("b", seq: 2))
        transcript.insert(line("0", seq: 0))
        #expect(transcript.texts == ["0", "a", "hello", "b"])
    }

    @Test("rows have the day, the time, the name, the text in its column, and the mark")
    func rows() {
        var transcript = Transcript()
        transcript.insert(line("Morning!", seq: 1, author: "bob"))
        transcript.insert(line("A rather long answer that is wrapped", seq: 2, author: "alice", look: .own(.read)))
        transcript.insert(line("two\nlines", author: "alice", look: .own(.queued)))
        transcript.append("bob's key has changed.", .warning)
        #expect(
            rows(of: transcript, columns: 44) == [
                "───────────── Thu 15 Jan 2026 ─────────────", "09:30 bob    Morning!",
                "09:30 alice  A rather long answer", "             that is wrapped ✓✓ read", "09:30 alice  two",
                "             lines …", "  bob's key has changed.",
            ])
        let narrow = ["─ Thu 15 Jan 2026 ─", "09:30 bob    ", "Morning!"]
        #expect(rows(of: transcript, columns: 20).prefix(3).elementsEqual(narrow))
    }

    @Test("what was sent before this device had keys is one line for each run of it, also when more comes before")
    func earlier() {
        var transcript = Transcript()
        for seq in [3, 4, 6] { transcript.insert(line("sealed", seq: seq, look: .earlier)) }
        transcript.insert(line("system", seq: 5, look: .system))
        transcript.insert(line("now", seq: 7))
        transcript.insert(line("forged", seq: 8, look: .unreadable))
        let two =
            "  2 earlier messages were sent before this device had keys; only devices that had theirs then can open them"
        let one =
            "  1 earlier message was sent before this device had keys; only devices that had theirs then can open it"
        let shown = rows(of: transcript, columns: 120)
        #expect(shown.filter { !$0.contains("──") } == [two, "09:30 bob    system", one] + shown.suffix(2))
        #expect(shown.last == "09:30 bob    forged")
        let identity = TranscriptLayout(me: UserID(validated: "alice"), columns: 120, zone: .utc).rows(of: transcript)[
            0
        ]
        .item
        transcript.insert(line("sealed", seq: 2, look: .earlier))
        let more = TranscriptLayout(me: UserID(validated: "alice"), columns: 120, zone: .utc).rows(of: transcript)[0]
        #expect(more.text.text == "  3" + two.dropFirst(3) && more.item == identity)
        #expect(transcript.newestReceived?.position == position(8))
        #expect(rows(of: transcript, columns: 40).prefix(3).allSatisfy { $0.hasPrefix("  ") && $0.count <= 40 })
    }

    @Test("hostile text stays in its rows and says what it is")
    func hostile() {
        var transcript = Transcript()
        transcript.insert(line("\u{1B}[2J\r\n\u{1B}]0;x\u{7}\tz", seq: 1, author: "bob"))
        let rows = rows(of: transcript, columns: 60)
        #expect(rows.suffix(2) == [#"09:30 bob    \u{1b}[2J"#, #"             \u{1b}]0;x\u{7}    z"#])
    }

    private func rows(of transcript: Transcript, columns: Int) -> [String] {
        TranscriptLayout(me: UserID(validated: "alice"), columns: columns, zone: .utc).rows(of: transcript)
            .map(\.text.text)
    }
}

/// A message of a test.
func line(
    _ text: String, seq: Int? = nil, position: ChatMessage.Position? = nil, author: String = "bob",
    key: ChatLine.Key = .message(.random()),
    look: ChatLine.Look = .received
) -> ChatLine {
    ChatLine(
        key: key, author: UserID(validated: author),
        position: position ?? seq.map { ChatMessage.Position(epoch: "0", seq: $0) },
        time: Timestamp(milliseconds: 1_768_469_400_000), text: text, look: look)
}

func position(_ seq: Int, chapter: Int = 0) -> ChatMessage.Position {
    ChatMessage.Position(chapter: chapter, epoch: "\(chapter)", seq: seq)
}

extension Transcript {
    fileprivate var texts: [String] {
        items.map { item in
            switch item {
            case .message(let line): line.text
            case .notice(_, let text, _): text
            }
        }
    }

    fileprivate var looks: [ChatLine.Look] { items.compactMap { $0.line?.look } }
}
