import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("The chat's conversations")
struct ChatConversationsTests {
    private var state = ChatState(
        me: DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone")))
    private var screen = ChatScreen(zone: .utc)
    private let run = entry("Morning run", at: 3, unread: 2, author: "bob")
    private let carol = entry("carol", at: 2, unread: 1, author: "carol")
    private let bob = entry("bob", at: 1)

    init() { state.list.replaceAll([bob, run, carol]) }

    private mutating func write(_ text: String) -> [ChatState.Action] {
        state.press(.text(text)) + state.press(.enter)
    }

    private mutating func rows(_ columns: Int = 80, _ rows: Int = 10) -> [String] {
        screen.frame(&state, size: TerminalSize(columns: columns, rows: rows)).rows.map(\.text)
    }

    @Test("the newest come first, and a line says what is unread elsewhere")
    mutating func elsewhere() {
        #expect(state.list.entries.map(\.title) == ["Morning run", "carol", "bob"])
        #expect(rows()[7] == " Morning run: bob wrote, 2 unread · carol: 1 unread")
        state.show(ChatPlace(run))
        #expect(rows()[7] == " carol wrote, 1 unread")
        #expect(rows()[8].hasPrefix(" alice/phone in Morning run (2)"))
        state.update(entry("carol", id: carol.id, at: 4))
        #expect(rows()[7] == "", "the row is the transcript's")
        var muted = entry("carol", id: carol.id, at: 5, unread: 3, author: "carol")
        muted.isMuted = true
        let isMore = state.update(muted)
        #expect(isMore)
        #expect(rows()[7] == "")
    }

    @Test("on a wide terminal the list stands beside the talk")
    mutating func list() {
        state.show(ChatPlace(bob))
        state.transcript.insert(line("hello", seq: 1))
        let wide = rows(120)
        #expect(wide[0].hasPrefix(" 1 Morning run         2 │"))
        #expect(wide[1].hasPrefix(" 2 carol               1 │"))
        #expect(wide[2].hasPrefix(">3 bob                   │"))
        #expect(wide[6].hasSuffix("│ 09:30 bob    hello"))
        #expect(!rows(99).contains { $0.contains("│") })
    }

    @Test("Tab shows the list, where arrows or letters choose, and Esc goes back")
    mutating func switcher() {
        state.show(ChatPlace(bob))
        _ = state.press(.text("draft"))
        #expect(state.press(.beyond(.tab)) == [])
        #expect(rows().contains { $0.contains("Where to?") })
        #expect(state.press(.down) == [])
        #expect(state.press(.enter) == [.switchTo(carol.id)])
        _ = state.press(.beyond(.tab))
        _ = state.press(.text("MORN"))
        #expect(rows()[9] == "> MORN")
        #expect(rows()[2].hasPrefix(" 1 Morning run") && rows()[3].isEmpty)
        #expect(state.press(.enter) == [.switchTo(run.id)])
        _ = state.press(.beyond(.tab))
        #expect(state.press(.beyond(.cancel)) == [])
        #expect(state.overlay == nil && rows()[9] == "> draft", "the line is as it was")
    }

    @Test("keys go to a place of the list, to the next, and to what is unread")
    mutating func keys() {
        state.show(ChatPlace(bob))
        #expect(state.press(.beyond(.pick(2))) == [.switchTo(carol.id)])
        #expect(state.press(.beyond(.pick(3))) == [], "it is there")
        #expect(state.press(.beyond(.pick(9))) == [])
        #expect(state.press(.beyond(.nextUnread)) == [.switchTo(run.id)])
        #expect(state.press(.beyond(.next)) == [.switchTo(run.id)])
        #expect(state.press(.beyond(.previous)) == [.switchTo(carol.id)])
    }

    @Test("a name, or the beginning of one or of an id, goes there; several are listed")
    mutating func names() {
        #expect(write("/switch morning") == [.stopTyping, .switchTo(run.id)])
        #expect(write("/switch \(carol.id.short)") == [.stopTyping, .switchTo(carol.id)])
        #expect(write("/switch nobody") == [.stopTyping])
        #expect(rows(100).contains { $0.contains("No conversation is called nobody") })
        state.update(entry("Morning walk", at: 9))
        #expect(write("/switch morn") == [.stopTyping])
        #expect(rows(120).contains { $0.contains("Several are called so: Morning walk (") })
        #expect(write("/switch morning run") == [.stopTyping, .switchTo(run.id)], "a whole name counts before others")
    }

    @Test("the unfinished line of a conversation is there again when one comes back")
    mutating func drafts() {
        state.show(ChatPlace(bob))
        _ = state.press(.text("half a se"))
        state.show(ChatPlace(run))
        #expect(rows()[9] == "> ")
        state.show(ChatPlace(bob))
        #expect(rows()[9] == "> half a se")
    }

    @Test("who is no member of the shown conversation any more is told once, and the list marks it")
    mutating func removal() {
        state.show(ChatPlace(run))
        for _ in 0..<2 { state.leave(run.id) }
        #expect(rows().filter { $0.contains("You are not in Morning run any more.") }.count == 1)
        #expect(state.list[run.id]?.isMember == false)
        state.leave(carol.id)
        #expect(state.list[carol.id] == nil, "one that is not shown is gone")
        state.show(ChatPlace(bob))
        state.leave(bob.id)
        #expect(!rows().contains { $0.contains("any more") }, "it has become a message request")
        state.update(entry("Morning run", id: run.id, at: 9))
        #expect(state.list[run.id]?.isMember == true, "they are back")
    }

    @Test("without a conversation nothing is sent")
    mutating func nowhere() {
        #expect(write("hello") == [.typing])
        #expect(rows().contains { $0.contains("Choose a conversation first") })
        #expect(write("/follow") == [.stopTyping])
        #expect(rows().contains { $0.contains("Say whom: /follow NAME") })
    }

    @Test("the manual has the place of the talk until a key puts it away, and no line of it is in the talk")
    mutating func manual() {
        state.show(ChatPlace(bob))
        state.transcript.insert(line("hello", seq: 1))
        #expect(write("/help") == [.stopTyping])
        #expect(rows()[0].hasPrefix("What there is") && !rows().contains { $0.contains("hello") })
        for _ in 0..<100 { _ = state.press(.down) }
        #expect(rows()[6].contains("of their times"))
        _ = state.press(.pageUp)
        #expect(!rows()[6].contains("of their times"))
        _ = state.press(.text("q"))
        #expect(rows()[6].hasSuffix("hello") && state.transcript.items.count == 1)
    }

    @Test("a hostile name stays in its row")
    mutating func hostile() {
        state.list.replaceAll([
            bob, entry("\u{1B}[2J\u{202E}\n\(String(repeating: "x", count: 300))", at: 9, unread: 5, author: "eve"),
        ])
        state.show(ChatPlace(bob))
        for columns in [20, 80, 120] {
            let rows = rows(columns)
            #expect(rows.count == 10)
            for scalar in rows.joined().unicodeScalars { #expect(scalar.value >= 0x20 && scalar != "\u{202E}") }
        }
        _ = state.press(.beyond(.tab))
        #expect(rows().allSatisfy { $0.columns <= 80 })
    }
}

/// A conversation of a test: with the user of that name if it is one, else a group of two.
func entry(
    _ title: String, id: ConversationID = .random(), at second: Int64, unread: Int = 0, readSeq: Int = 0,
    author: String? = nil
) -> ChatEntry {
    ChatEntry(
        id: id, title: title, peer: UserID(title), members: [UserID(validated: "alice"), UserID(validated: "bob")],
        unread: unread, readSeq: readSeq, lastAuthor: author.map { UserID(validated: $0) },
        lastActivity: Timestamp(milliseconds: second * 1000))
}
