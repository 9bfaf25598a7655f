import Launch
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("parley chat", .ownThreads)
struct TerminalChatTests {
    private let couple: Couple

    init() throws { couple = try Couple() }

    /// A chat in a terminal of its own.
    private func chat(
        as device: String, with other: String, columns: Int = 80, rows: Int = 24
    ) throws -> (terminal: PseudoTerminal, child: ChildProcess) {
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        let child = try terminal.start(
            Programs.path("parley"),
            ["chat", "--data", couple.gateway.directory, "--as", device, "--with", other],
            directory: couple.gateway.directory)
        try terminal.awaitRow("the chat's bar", containing: "\(device) with \(other)")
        return (terminal, child)
    }

    @Test("two people talk: typing shows, messages and their marks come, and the terminal is as it was afterwards")
    func talk() throws {
        let (alice, aliceChild) = try chat(as: "alice/phone", with: "bob")
        let before = try PseudoTerminal().settings
        let (bob, bobChild) = try chat(as: "bob/phone", with: "alice")
        try alice.awaitRow("a connection", containing: "Nothing was said yet")
        try bob.awaitRow("a connection", containing: "Nothing was said yet")
        #expect(alice.settings != before)
        #expect(alice.shown.modes.contains(1049))

        alice.type("Grüße, wie geht’s?")
        try bob.awaitRow("typing", containing: "alice is typing …")
        alice.type("\r")
        try bob.awaitRow("the message", containing: "alice", "Grüße, wie geht’s?")
        try alice.awaitRow("the mark", containing: "Grüße, wie geht’s?", "✓✓ read")
        try eventually("the end of typing:\n\(bob.shown.text)") { () -> Void? in
            bob.shown.text.contains("is typing") ? nil : ()
        }
        bob.type("gut\u{1B}[D\u{1B}[D\u{1B}[DSehr \u{5}!\r")
        try alice.awaitRow("the answer", containing: "bob", "Sehr gut!")
        bob.type("\u{1B}[200~one\ntwo\u{1B}[201~")
        try bob.awaitRow("the pasted text in the line", containing: "> one↵two")
        bob.type("\r")
        try alice.awaitRow("the second line", containing: "             two")

        alice.type("\u{4}")
        #expect(aliceChild.waitUntilEnded() == 0)
        bob.type("/quit\r")
        #expect(bobChild.waitUntilEnded() == 0)
        for terminal in [alice, bob] {
            #expect(terminal.settings == before)
            #expect(terminal.shown.modes.isSubset(of: [7, 25]), "\(terminal.shown.modes)")
            #expect(terminal.shown.unknown.isEmpty)
        }
    }

    @Test("what was said is there again, pages go up and down, and another size is drawn anew")
    func historyAndSize() throws {
        try couple.makeKeys(of: "bob/phone")
        for number in 1...30 { try couple.send("message \(number).") }
        let (bob, child) = try chat(as: "bob/phone", with: "alice", rows: 12)
        try bob.awaitRow("the first that was not read", containing: "message 1.")
        #expect(!bob.shown.text.contains("message 30."))
        bob.type("\u{1B}[1;5F")
        try bob.awaitRow("the newest", containing: "message 30.")
        #expect(!bob.shown.text.contains("message 10."))
        bob.type("\u{1B}[5~\u{1B}[5~")
        try bob.awaitRow("older ones", containing: "message 12.")
        #expect(!bob.shown.text.contains("message 30."))
        try couple.send("while above")
        try bob.awaitRow("word of it", containing: "↓ 1 new")
        bob.resize(columns: 40, rows: 40)
        try bob.awaitRow("the rows of the new size", containing: "message 1.")
        bob.type("\u{1B}[6~\u{1B}[6~\u{1B}[6~")
        try bob.awaitRow("the newest", containing: "while above")
        #expect(bob.shown.rows.last == "> ")
        bob.type("/search 7\r")
        try bob.awaitRow("what was found", containing: "alice: message 7.")
        bob.resize(columns: 10, rows: 3)
        try eventually("the line on the last row") { bob.shown.rows.last?.hasPrefix(">") == true ? () : nil }
        child.send(SIGTERM)
        #expect(child.waitUntilEnded() == 0)
        #expect(!bob.shown.modes.contains(1049))
    }

    @Test("a card is shown with its link, which leads to the challenge or the plan that it names")
    func cards() throws {
        for device in ["alice/phone", "bob/phone"] { try couple.makeKeys(of: device) }
        let (bob, child) = try chat(as: "bob/phone", with: "alice", columns: 200)
        let made = try couple.parley.run(
            "challenge", "create", "--as", "alice/phone", "--to", "bob", "steps", "50000", "--days", "7", "--card",
            "Who walks more?")
        let id = try #require(made.json["id"].text, "\(made.errors)")
        let link = "parley://challenge/\(id)"
        try bob.awaitRow("the card", containing: "[challenge] Who walks more?, 50000 steps in 7 days, \(link)")
        bob.type("/open \(link)\r")
        try bob.awaitRow(
            "the challenge", containing: "challenge \(id.prefix(8)): alice and bob, 50000 steps in 7 days: pending")
        try bob.awaitRow("what can be done", containing: "accept it by: parley challenge accept --as bob/phone \(id)")

        let shared = try couple.parley.run(
            "plan", "share", "--as", "alice/phone", "--to", "bob", "workout", "5k", "--title", "To 5 km", "--days", "1")
        #expect(shared.status == 0, "\(shared.errors)")
        try bob.awaitRow("the plan", containing: "[workout plan] To 5 km, 1 day, parley://plan/workout/5k")
        bob.type("/open parley://plan/workout/5k\r")
        try bob.awaitRow("where the plan is", containing: "what is in the plan is the app's that has made it", "5k")
        bob.type("/open parley://nowhere\r")
        try bob.awaitRow("that it is none", containing: "This leads nowhere")
        bob.type("/quit\r")
        #expect(child.waitUntilEnded() == 0)
    }

    @Test("no command to a terminal gets through, whatever is sent")
    func hostile() throws {
        try couple.makeKeys(of: "bob/phone")
        try couple.send("\u{1B}]0;title\u{7}\u{1B}[2J\u{9B}31m\u{202E}evil")
        let (bob, child) = try chat(as: "bob/phone", with: "alice")
        try bob.awaitRow("the message", containing: #"\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}evil"#)
        #expect(bob.shown.unknown.isEmpty)
        bob.type("\u{3}")
        #expect(child.waitUntilEnded() == 0)
    }

    @Test("what is written without a gateway waits, and goes when it is back")
    func offline() throws {
        try couple.makeKeys(of: "bob/phone")
        let (alice, child) = try chat(as: "alice/phone", with: "bob")
        try alice.awaitRow("a connection", containing: "Nothing was said yet")
        couple.gateway.endBroker()
        try alice.awaitRow("word of the loss", containing: "not connected")
        alice.type("kept\r")
        try alice.awaitRow("the message", containing: "kept …")
        alice.type("\u{4}")
        #expect(child.waitUntilEnded() == 0)
        couple.gateway.endParleyd()
        try couple.gateway.startBroker()
        try couple.gateway.startParleyd()
        let (again, secondChild) = try chat(as: "alice/phone", with: "bob")
        try again.awaitRow("the mark", containing: "kept ✓")
        again.type("\u{4}")
        #expect(secondChild.waitUntilEnded() == 0)
    }

    @Test("a changed key is told, holds messages back, and is accepted in the chat")
    func keyChange() async throws {
        try couple.makeKeys(of: "bob/phone")
        let (alice, child) = try chat(as: "alice/phone", with: "bob")
        try alice.awaitRow("a connection", containing: "Nothing was said yet")
        alice.type("first\r")
        try alice.awaitRow("the mark", containing: "first ✓")
        try couple.forgetKeys(of: "bob/phone")
        try await couple.resetAccount(with: "bob/phone")
        let listening = try couple.listen(as: "bob/phone", "--json")
        // A command of the same device learns of it, and tells the chat through what they share.
        #expect(try couple.parley.run("send", "--as", "alice/phone", "--to", "bob", "no").status == 1)
        alice.type("held\r")
        try alice.awaitRow("the warning", containing: "the account key of bob has changed")
        #expect(listening.output.isEmpty)
        alice.type("/accept\r")
        try alice.awaitRow("why nothing was accepted", containing: "Compare the safety number first")
        alice.type("/safety\r")
        try alice.awaitRow("the number", containing: "The safety number with bob")
        alice.type("/accept\r")
        try alice.awaitRow("what was accepted", containing: "Accepted the keys of bob")
        #expect(try couple.lines(of: listening, count: 1).map { $0["content"]["text"] } == ["held"])
        alice.type("\u{4}")
        #expect(child.waitUntilEnded() == 0)
    }

    @Test("the first line with somebody new says what only the safety number shows, once, and not of who was compared")
    func newPerson() throws {
        for device in ["alice/phone", "bob/phone"] { try couple.makeKeys(of: device) }
        let (alice, child) = try chat(as: "alice/phone", with: "bob")
        try alice.awaitRow("a connection", containing: "Nothing was said yet")
        let sentence = "bob is new to this device: only comparing the safety number"
        let rows = alice.shown.rows.filter { !$0.isEmpty }
        #expect(rows.first?.contains(sentence) == true)
        #expect(rows.dropFirst().first?.contains("answered with the keys of bob, or with its own.") == true)
        alice.type("hello\r")
        try alice.awaitRow("the mark", containing: "hello ✓")
        #expect(alice.shown.rows.filter { $0.contains("is new to this device") }.count == 1)
        alice.type("\u{4}")
        #expect(child.waitUntilEnded() == 0)

        try #require(try couple.parley.run("user", "add", "carol", "--message-privacy", "anyone").status == 0)
        try couple.addDevice(of: "carol")
        try couple.makeKeys(of: "carol/phone")
        let shown = try couple.parley.run("safety-number", "--as", "carol/phone", "--with", "alice", "--qr")
        let code = shown.output.trimmingCharacters(in: .newlines)
        #expect(try couple.parley.run("verify", "--as", "alice/phone", "--with", "carol", code).status == 0)
        let (verified, secondChild) = try chat(as: "alice/phone", with: "carol")
        try verified.awaitRow("a connection", containing: "Nothing was said yet")
        #expect(!verified.shown.text.contains("is new to this device"))
        verified.type("\u{4}")
        #expect(secondChild.waitUntilEnded() == 0)

        let piped = try couple.parley.run("chat", "--as", "bob/phone", "--with", "carol", input: "hi\n")
        #expect(piped.status == 0)
        #expect(piped.errors.contains("parley: carol is new to this device; only comparing"), "\(piped.errors)")
    }

    @Test("a second chat of a device is refused, with a way out, and send and listen are not")
    func secondChat() throws {
        try couple.makeKeys(of: "bob/phone")
        let (alice, child) = try chat(as: "alice/phone", with: "bob")
        let second = try couple.parley.run("chat", "--as", "alice/phone", "--with", "bob")
        #expect(second.status == 3)
        #expect(second.errors.contains("another process uses the messages of alice/phone"))
        #expect(second.errors.contains("parley device add alice"))
        try couple.send("beside")
        try alice.awaitRow("what the same device has sent beside it", containing: "beside ✓")
        alice.type("\u{4}")
        #expect(child.waitUntilEnded() == 0)
    }

    @Test("in a pipe each line is a message, and it ends when the gateway has all of them")
    func pipe() throws {
        let listening = try couple.listen(as: "bob/phone", "--json")
        let outcome = try couple.parley.run(
            "chat", "--as", "alice/phone", "--with", "bob", input: "one\n\n  two \nthree")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.map { $0.components(separatedBy: " alice: ").last } == ["one", "  two ", "three"])
        let received = try couple.lines(of: listening, count: 3)
        #expect(received.map { $0["content"]["text"] } == ["one", "  two ", "three"])
        let unknown = try couple.parley.run("chat", "--as", "alice/phone", "--with", "nobody", input: "hi\n")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("not_found"))
    }
}
