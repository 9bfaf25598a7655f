import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("What was read in a chat")
struct ChatReadingTests {
    private var state: ChatState
    private var screen = ChatScreen(zone: .utc)
    private let size = TerminalSize(columns: 60, rows: 8)

    /// Twenty messages of Bob's, of which Alice has read five.
    init() {
        let bob = entry("bob", at: 1, unread: 15, readSeq: 5)
        state = ChatState(me: DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone")))
        state.list.replaceAll([bob])
        state.show(ChatPlace(bob))
        for seq in 6...20 { state.transcript.insert(line("message \(seq)", seq: seq)) }
    }

    private mutating func rows() -> [String] { screen.frame(&state, size: size).rows.map(\.text) }

    private var readable: Int? { state.reading.readable(in: state.transcript, isWhole: false)?.position.seq }

    @Test("older pages are fetched until the first unread message is there, and before that nothing is seen")
    mutating func opening() {
        var short = self
        short.state.transcript.removeMessages()
        for seq in 10...20 { short.state.transcript.insert(line("message \(seq)", seq: seq)) }
        let wantsOlder = short.state.openAtUnread()
        #expect(wantsOlder)
        _ = short.rows()
        #expect(short.readable == nil)
        for seq in 4...9 { short.state.transcript.insert(line("message \(seq)", seq: seq)) }
        let wantsMore = short.state.openAtUnread()
        let rows = short.rows()
        #expect(!wantsMore && rows[0] == "--- new ---" && rows[1].hasSuffix("message 6"))
    }

    @Test("the talk begins at the first unread message, and only what was on the screen is read")
    mutating func screens() {
        _ = state.openAtUnread()
        #expect(rows().contains("--- new ---") && rows().contains { $0.hasSuffix("message 6") })
        let first = readable
        #expect(first.map { (6...10).contains($0) } == true)
        #expect(!screen.scroll(&state, up: false, size: size))
        _ = rows()
        #expect(readable.map { $0 > (first ?? 0) && $0 < 20 } == true)
        while state.anchor != nil {
            _ = screen.scroll(&state, up: false, size: size)
            _ = rows()
        }
        #expect(readable == 20)
        #expect(rows().contains { $0.hasSuffix("message 20") })
    }

    @Test("who jumps to the end has not read what lies between, until they go through it")
    mutating func jump() {
        _ = state.openAtUnread()
        _ = rows()
        let first = readable
        _ = state.press(.beyond(.newest))
        _ = rows()
        #expect(readable == first)
        while !screen.scroll(&state, up: true, size: size) { _ = rows() }
        _ = rows()
        #expect(readable == 20)
    }

    @Test("while the first page is fetched no message is shown, and notices are")
    mutating func loading() {
        state.isLoading = true
        state.transcript.append("word of something")
        #expect(rows().contains("  word of something") && !rows().contains { $0.contains("message") })
        _ = state.openAtUnread()
        #expect(rows().contains { $0.hasSuffix("message 6") })
    }

    @Test("behind a list or the manual nothing is read")
    mutating func overlay() {
        _ = state.openAtUnread()
        _ = state.press(.beyond(.tab))
        _ = rows()
        #expect(readable == nil)
        _ = state.press(.beyond(.cancel))
        _ = rows()
        #expect(readable != nil)
    }

    @Test("a history that begins after the mark is whole, and is read")
    mutating func whole() {
        state.transcript.removeMessages()
        state.transcript.insert(line("first", seq: 9))
        state.hasOlder = false
        _ = state.openAtUnread()
        _ = rows()
        #expect(readable == nil)
        #expect(state.reading.readable(in: state.transcript, isWhole: true)?.position.seq == 9)
    }

    @Test("the mark goes when one answers, and what was read elsewhere moves it on")
    mutating func mark() {
        _ = state.openAtUnread()
        #expect(rows().contains("--- new ---"))
        _ = state.press(.text("yes"))
        _ = state.press(.enter)
        #expect(state.reading.firstUnread == nil && !rows().contains("--- new ---"))
        state.update(entry("bob", id: state.list.entries[0].id, at: 2, unread: 0, readSeq: 20))
        #expect(readable == nil)
    }

    @Test("arrows choose a message for the next command; a number does, too")
    mutating func selection() {
        _ = state.openAtUnread()
        let own = MessageID.random()
        state.transcript.insert(
            line("mine", seq: 21, author: "alice", key: .message(own), look: .own(.sent)))
        _ = state.press(.beyond(.older))
        #expect(state.selection == .message(own))
        _ = state.press(.text("/edit better"))
        #expect(state.press(.enter) == [.change(own, .edit("better"))])
        #expect(state.selection == nil)
        for _ in 0..<3 { _ = state.press(.beyond(.older)) }
        _ = rows()
        let theirs = state.transcript.items[state.transcript.items.count - 3].line
        #expect(state.selection == theirs?.key)
        #expect(rows().contains { $0.contains("message 19") }, "it is on the screen")
        _ = state.press(.text("/delete"))
        #expect(state.press(.enter) == [])
        #expect(rows().contains { $0.contains("Only your own messages") })
        guard case .message(let id)? = theirs?.key else { return }
        _ = state.press(.text("/reply #19 at six"))
        #expect(rows().contains { $0.hasPrefix("#19  ") }, "numbers are shown while they are needed")
        #expect(state.press(.enter) == [.reply(id, "at six")])
        _ = state.press(.text("/react #99 👍"))
        #expect(state.press(.enter) == [])
        #expect(rows().contains { $0.contains("no message #99 here") })
        _ = state.press(.text("/react yes"))
        #expect(state.press(.enter) == [])
        #expect(rows().contains { $0.contains("one emoji") })
    }

    @Test("an answer has the beginning of what it answers above it")
    mutating func quote() {
        var answer = line("yes", seq: 22)
        answer.quote = line("see you\nat six", seq: 1, author: "carol").quoted
        state.transcript.insert(answer)
        state.endOpening()
        state.anchor = nil
        state.wantsUnreadOnTop = false
        #expect(rows()[4...5].elementsEqual(["09:30 bob    │ carol: see you…", "             yes"]))
    }
}

@Suite("The chat in lines")
struct PlainScreenTests {
    private var state = ChatState(
        me: DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone")))
    private var screen = PlainScreen(zone: .utc)

    @Test("each line is whole, comes once, and says who, when and which number")
    mutating func talk() {
        let run = entry("Morning run", at: 1, unread: 1, readSeq: 1)
        state.list.replaceAll([run])
        state.show(ChatPlace(run))
        #expect(screen.lines(&state) == ["== alice/phone in Morning run (2) =="])
        state.transcript.insert(line("old", seq: 1))
        let key = ChatLine.Key.message(.random())
        state.transcript.insert(line("two\nlines\u{1B}[2J", seq: 2, key: key))
        #expect(screen.lines(&state) == [], "nothing before the first unread message is there")
        _ = state.openAtUnread()
        #expect(
            screen.lines(&state) == [
                "#1 2026-01-15 09:30 bob: old", "--- new ---", #"#2 2026-01-15 09:30 bob: two ↵ lines\u{1b}[2J"#,
            ])
        #expect(screen.lines(&state) == [])
        #expect(state.reading.readable(in: state.transcript, isWhole: true)?.position.seq == 2)
        state.transcript.insert(line("three", seq: 2, key: key))
        #expect(screen.lines(&state) == ["#2 bob, changed: three"])
        let id = MessageID.random()
        let own = ChatLine.Key.message(id)
        state.written.insert(id)
        state.transcript.insert(line("mine", author: "alice", key: own, look: .own(.queued)))
        #expect(screen.lines(&state) == [], "it was typed there")
        state.transcript.insert(line("mine", seq: 3, author: "alice", key: own, look: .own(.sent)))
        #expect(screen.lines(&state) == ["(sent, #3)"])
        _ = state.submit("/list")
        #expect(screen.lines(&state) == ["Morning run, 1 unread", "/switch NAME goes to one."])
        state.update(entry("carol", at: 2, unread: 1, author: "carol"))
        #expect(screen.lines(&state) == ["(carol wrote, 1 unread)"])
        #expect(screen.lines(&state) == [])
        state.link = .waiting("not connected: gone")
        #expect(screen.lines(&state) == ["(not connected: gone)"])
    }
}
