import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("The chat in a terminal")
struct ChatStateTests {
    private let bob = UserID(validated: "bob")
    private var state = ChatState(
        me: DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone")),
        place: .direct(UserID(validated: "bob"), id: nil))
    private var screen = ChatScreen(zone: .utc)
    private let size = TerminalSize(columns: 40, rows: 8)

    private mutating func write(_ text: String) -> [ChatState.Action] {
        state.press(.text(text)) + state.press(.enter)
    }

    private mutating func rows(_ size: TerminalSize? = nil) -> [String] {
        screen.frame(&state, size: size ?? self.size).rows.map(\.text)
    }

    @Test(
        "a line is a message or a command",
        arguments: [
            ("hi", .action(.send("hi"))), ("/urgent  hi there", .action(.sendUrgently("hi there"))),
            ("/expire 2h  Burn this", .action(.sendDisappearing("Burn this", MessageLifetime("2h")!))),
            ("/expire 2h", .unknown("/expire")), ("/expire soon Hi", .unknown("/expire")),
            ("/urgent", .unknown("/urgent")), ("//quit", .action(.send("/quit"))), (" /quit", .action(.send(" /quit"))),
            ("/quit", .action(.end)), ("/help", .help), ("/history", .history),
            ("/search  two words ", .action(.search("two words"))), ("/search", .unknown("/search")),
            ("/edit new text", .message(.edit("new text"), nil)), ("/edit", .unknown("/edit")),
            ("/edit #12 new text", .message(.edit("new text"), 12)), ("/edit #12", .unknown("/edit")),
            ("/edit #x y", .message(.edit("#x y"), nil)), ("/delete", .message(.delete, nil)),
            ("/delete #3", .message(.delete, 3)), ("/delete it", .unknown("/delete")),
            ("/react 👍", .message(.react("👍"), nil)), ("/react", .message(.react(""), nil)),
            ("/react #7 👍", .message(.react("👍"), 7)), ("/react #7", .message(.react(""), 7)),
            ("/reply yes, at  six", .message(.reply("yes, at  six"), nil)), ("/reply", .unknown("/reply")),
            ("/reply #7 yes", .message(.reply("yes"), 7)), ("/decline", .person(.decline, nil)),
            ("/requests", .action(.listRequests)), ("/follow", .person(.follow, nil)),
            ("/unfollow bob", .person(.unfollow, UserID(validated: "bob"))), ("/block", .person(.block, nil)),
            ("/unblock", .person(.unblock, nil)), ("/safety", .person(.safety, nil)),
            ("/accept", .person(.accept, nil)), ("/retry", .action(.retry)), ("/read", .markRead),
            ("/accept bob", .person(.accept, UserID(validated: "bob"))), ("/accept a/b", .unknown("/accept")),
            ("/list", .list), ("/switch", .list), ("/switch Morning run", .change(to: "Morning run")),
            ("/new bob", .action(.openDirect(UserID(validated: "bob")))), ("/new", .unknown("/new")),
            ("/new a+b", .unknown("/new")), ("/members", .action(.showMembers)), ("/board", .action(.showBoard)),
            ("/bell", .bell), ("/group", .unknown("/group")), ("/group 'x", .unknown("/group")),
            ("/quitt", .unknown("/quitt")), ("", .nothing), ("  ", .nothing),
            ("/", .unknown("/")), ("/open parley://plan/diet/1", .open("parley://plan/diet/1")),
            ("/open", .unknown("/open")), ("/open 3", .openFile(3)), ("/save 3", .saveFile(3, nil)),
            ("/save 3  a dir ", .saveFile(3, "a dir")), ("/save", .unknown("/save")),
            ("/save x", .unknown("/save x")), ("/file  ~/a b.pdf ", .action(.sendFile("~/a b.pdf"))),
            ("/file", .unknown("/file")), ("/pause", .pause(nil)), ("/pause 2", .pause(2)),
            ("/pause all", .unknown("/pause all")), ("/resume", .resume(nil)), ("/resume 2 ", .resume(2)),
            ("/resume x", .unknown("/resume x")),
        ] as [(String, ChatInput)])
    func input(text: String, input: ChatInput) {
        #expect(ChatInput(text) == input)
    }

    @Test("writing tells the other, and commands do not")
    mutating func typing() {
        #expect(state.press(.text("h")) == [.typing])
        #expect(state.press(.left) == [])
        #expect(state.press(.delete) == [.stopTyping])
        #expect(state.press(.text("/h")) == [.stopTyping])
        #expect(state.press(.interrupt) == [.stopTyping])
        #expect(state.press(.interrupt) == [.end])
        #expect(state.press(.endOfInput) == [.end])
        #expect(write("hi") == [.typing, .send("hi")])
        #expect(write("/safety") == [.stopTyping, .person(.safety, bob)])
    }

    @Test("one's own last message is edited and deleted, the other's last is reacted to; without one there is a word")
    mutating func changes() {
        for command in ["/edit better", "/delete", "/react 👍"] {
            #expect(write(command) == [.stopTyping])
        }
        #expect(rows().contains { $0.contains("no message of yours") })
        #expect(rows().contains { $0.contains("no message of bob's") })
        let (own, theirs) = (MessageID.random(), MessageID.random())
        let time = Timestamp(milliseconds: 0)
        state.transcript.insert(
            ChatLine(
                key: .message(theirs), author: bob, position: position(1), time: time, text: "hello",
                look: .received,
                notes: "edited · 👍 2"))
        state.transcript.insert(
            ChatLine(
                key: .message(own), author: state.me.user, position: position(2), time: time, text: "hi",
                look: .own(.sent)))
        #expect(write("/edit better") == [.stopTyping, .change(own, .edit("better"))])
        #expect(write("/delete") == [.stopTyping, .change(own, .delete)])
        #expect(write("/react 👍") == [.stopTyping, .change(theirs, .react("👍"))])
        #expect(write("/react") == [.stopTyping, .change(theirs, .react(""))])
        #expect(rows(TerminalSize(columns: 60, rows: 20)).contains { $0.contains("edited · 👍 2") })
        state.transcript.remove(own)
        #expect(state.transcript.newest(of: state.me.user) == nil)
        #expect(!rows().contains { $0.contains("hi ✓") })
    }

    @Test("a link is opened, and what is none is said to lead nowhere")
    mutating func links() {
        #expect(write("/open parley://plan/diet/1") == [.stopTyping, .open(.dietPlan("1"))])
        #expect(write("/open https://example.org") == [.stopTyping])
        #expect(rows().contains { $0.contains("leads nowhere") })
    }

    @Test("files have numbers, by which they are opened and saved, and keep them")
    mutating func files() {
        let ids = (0..<3).map { _ in MessageID.random() }
        for (index, id) in ids.enumerated() {
            state.transcript.insert(
                ChatLine(
                    key: .message(id), author: bob, position: position(3 - index),
                    time: Timestamp(milliseconds: 0),
                    text: "[file] \(index)", look: .received, hasFile: index != 1))
        }
        #expect(
            rows(TerminalSize(columns: 60, rows: 20)).filter { $0.contains("/open") }.map(\.trimmedStart) == [
                "/open 2, /save 2", "/open 1, /save 1",
            ])
        #expect(write("/open 1") == [.stopTyping, .openFile(ids[0], number: 1)])
        #expect(write("/save 2 here") == [.stopTyping, .saveFile(ids[2], path: "here")])
        state.transcript.remove(ids[0])
        #expect(write("/save 2") == [.stopTyping, .saveFile(ids[2], path: nil)])
        for number in ["3", "0", "-1", "9223372036854775807"] { #expect(write("/open \(number)") == [.stopTyping]) }
        #expect(
            rows(TerminalSize(columns: 60, rows: 20)).contains {
                $0.contains("There is no file 9223372036854775807 here")
            })
    }

    @Test("the bar has how far a file is, why it waits, and how many others there are")
    mutating func transfers() {
        let size = TerminalSize(columns: 120, rows: 4)
        let (up, down) = (ChatTransfer.Key.upload(.random()), ChatTransfer.Key.download(.random()))
        state.show(ChatTransfer(key: up, name: "a.pdf", progress: FileProgress(done: 1, total: 4)))
        #expect(rows(size)[2].contains("↑ a.pdf ██░░░░░░░░ 25 % of 4 bytes"))
        state.show(
            ChatTransfer(key: up, name: "a.pdf", progress: FileProgress(done: 1, total: 4), obstacle: .waiting("away")))
        #expect(rows(size)[2].contains("↑ a.pdf waits: away"))
        state.show(
            ChatTransfer(
                key: down, name: String(repeating: "n", count: 300), progress: FileProgress(done: 4, total: 4)))
        #expect(rows(size)[2].contains("↓ nnnnnnnnnnnnnnnnnnnn… ██████████ 100 % of 4 bytes (+1)"))
        state.endTransfer(down)
        state.endTransfer(up)
        #expect(!rows(size)[2].contains("a.pdf"))
    }

    @Test("files on their way are paused and go on by their numbers, or all at once")
    mutating func pauses() {
        let ids = (0..<3).map { _ in MessageID.random() }
        let keys = [ChatTransfer.Key.upload(ids[0]), .download(ids[1])]
        for (index, id) in ids.enumerated() {
            state.transcript.insert(
                ChatLine(
                    key: .message(id), author: bob, position: position(index + 1),
                    time: Timestamp(milliseconds: 0), text: "[file]", look: .received, hasFile: true))
        }
        for key in keys {
            state.show(ChatTransfer(key: key, name: "a.pdf", progress: FileProgress(done: 1, total: 4)))
        }
        #expect(write("/pause 2") == [.stopTyping, .pause(keys[1])])
        #expect(write("/pause") == [.stopTyping, .pause(keys[0]), .pause(keys[1])])
        #expect(write("/resume") == [.stopTyping])
        #expect(rows(TerminalSize(columns: 60, rows: 20)).contains { $0.contains("no such file on its way") })
        state.pauseTransfer(keys[0])
        let size = TerminalSize(columns: 120, rows: 4)
        #expect(rows(size)[2].contains("↓ a.pdf ██░░░░░░░░ 25 % of 4 bytes (+1)"))
        state.pauseTransfer(keys[1])
        #expect(rows(size)[2].contains("↑ a.pdf paused (+1)"))
        #expect(write("/resume 1") == [.stopTyping, .resume(keys[0])])
        #expect(write("/resume") == [.stopTyping, .resume(keys[0]), .resume(keys[1])])
        for command in ["/pause", "/pause 1", "/resume 3", "/resume 4"] { #expect(write(command) == [.stopTyping]) }
        #expect(rows(TerminalSize(columns: 60, rows: 20)).contains { $0.contains("There is no file 4 here") })
    }

    @Test("a mistyped command is not sent, and nothing older is said once")
    mutating func refusals() {
        #expect(write("/nonsense") == [.stopTyping])
        #expect(rows().contains { $0.contains("There is no /nonsense") })
        #expect(write("/new") == [.stopTyping])
        #expect(rows(TerminalSize(columns: 80, rows: 8)).contains { $0.contains("/new NAME: opens the conversation") })
        #expect(write("/history") == [.stopTyping, .fetchOlder])
        #expect(write("/history") == [.stopTyping], "it is being fetched")
        state.hasOlder = false
        #expect(write("/history") == [.stopTyping])
        #expect(rows().contains { $0.contains("nothing older") })
    }

    @Test(
        "a command that is not written so is told with the manual's own line about it",
        arguments: [
            ("/edit", ["/edit TEXT: puts TEXT in the place of a message of yours, the last without a choice"]),
            ("/group 'x", ["/group NAME USER…: makes a group, its name in quotes if it has blanks; "]),
            ("/reply #12", ["/reply TEXT: answers the message; without a choice the other's last, with #12 that of"]),
            ("/save x", ["/save N PATH: saves the file with the number N"]),
            ("/open", ["/open N: shows the picture", "/open LINK: shows what a parley:// link leads to"]),
            ("/board x", ["/members: shows who is in it; /board how they stand in this week"]),
            ("/block a/b", ["/follow: follows the other; /unfollow, /block, /unblock"]),
            ("/list x", ["/list stands alone"]), ("/quitt", ["There is no /quitt; /help"]), ("/", ["There is no /; "]),
        ] as [(String, [String])])
    func advice(text: String, parts: [String]) {
        let advice = ChatManual.advice(on: text)
        for part in parts { #expect(advice.contains(part), "\(advice)") }
    }

    @Test("the screen has the newest rows, a bar and the line that is written")
    mutating func screenRows() {
        state.link = .connected
        for seq in 1...3 { state.transcript.insert(line("message \(seq)", seq: seq)) }
        _ = state.press(.text("dra"))
        #expect(
            rows() == [
                "", "", "─────────── Thu 15 Jan 2026 ───────────", "09:30 bob    message 1", "09:30 bob    message 2",
                "09:30 bob    message 3", " alice/phone with bob                   ", "> dra",
            ])
        #expect(screen.frame(&state, size: size).cursor == Frame.Position(row: 7, column: 5))
        state.typist = bob
        #expect(rows()[6] == " alice/phone with bob · bob is typing … ")
        state.link = .waiting("no gateway")
        #expect(rows()[6].contains("no gateway"))
    }

    @Test("pages go up and down, and what is seen stays while messages come below")
    mutating func scrolling() {
        let size = TerminalSize(columns: 60, rows: 8)
        func rows(_ test: inout ChatStateTests) -> [String] { test.rows(size) }
        for seq in 1...20 { state.transcript.insert(line("message \(seq)", seq: seq)) }
        #expect(rows(&self)[5].hasSuffix("message 20"))
        #expect(!screen.scroll(&state, up: true, size: size))
        #expect(rows(&self)[5].hasSuffix("message 15"))
        #expect(rows(&self)[6].contains("Page Down"))
        state.transcript.insert(line("message 21", seq: 21))
        state.unseen = 1
        #expect(rows(&self)[5].hasSuffix("message 15"))
        #expect(rows(&self)[6].contains("↓ 1 new"))
        state.transcript.insert(line("message 0", seq: 0))
        #expect(rows(&self)[5].hasSuffix("message 15"))
        var pages = 0
        while !screen.scroll(&state, up: true, size: size) { pages += 1 }
        #expect(pages < 5)
        #expect(rows(&self)[1].hasSuffix("message 0"), "the day is above it")
        for _ in 0..<10 { _ = screen.scroll(&state, up: false, size: size) }
        #expect(rows(&self)[5].hasSuffix("message 21"))
        #expect(state.unseen == 0)
        _ = screen.scroll(&state, up: true, size: size)
        #expect(write("hi") == [.typing, .send("hi")])
        #expect(rows(&self)[5].hasSuffix("message 21"), "whoever writes sees the newest")
    }

    @Test("any size can be drawn", arguments: [(1, 1), (2, 2), (3, 1), (7, 3), (200, 100)])
    mutating func sizes(columns: Int, rows: Int) {
        state.transcript.insert(line("日本語 and \u{1B}[2J more", seq: 1, look: .own(.read)))
        _ = state.press(.paste("日本語\nand"))
        let size = TerminalSize(columns: columns, rows: rows)
        #expect(self.rows(size).count == rows)
        #expect(!screen.draw(&state, size: size).isEmpty)
        #expect(screen.draw(&state, size: size).isEmpty, "nothing has changed")
        screen.forget()
        #expect(!screen.draw(&state, size: size).isEmpty)
    }
}

extension String {
    fileprivate var trimmedStart: String { String(drop { $0 == " " }) }
}
