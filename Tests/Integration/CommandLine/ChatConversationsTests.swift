import Launch
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("parley chat: several conversations", .ownThreads, .timeLimit(.minutes(20)))
struct ChatConversationsTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }

    /// Alice, Bob and Carol, who all have keys.
    init() throws {
        couple = try Couple(keysOf: ["alice/phone", "bob/phone"])
        try #require(try couple.parley.run("user", "add", "carol", "--message-privacy", "anyone").status == 0)
        try couple.addDevice(of: "carol")
        try couple.makeKeys(of: "carol/phone")
    }

    private func chat(
        as device: String, _ arguments: [String] = [], columns: Int = 80, rows: Int = 24, environment: [String] = [],
        bar: String? = nil
    ) throws -> (terminal: PseudoTerminal, child: ChildProcess) {
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        let child = try terminal.start(
            Programs.path("parley"), ["chat", "--data", couple.gateway.directory, "--as", device] + arguments,
            environment: environment, directory: couple.gateway.directory)
        if let bar { try terminal.awaitRow("the chat's bar", containing: bar) }
        return (terminal, child)
    }

    private func send(_ text: String, as device: String, _ recipient: String...) throws {
        let sent = try parley.run(["send", "--as", device] + recipient + [text])
        try #require(sent.status == 0, "\(sent.errors)")
    }

    private func quit(_ terminal: PseudoTerminal, _ child: ChildProcess) {
        terminal.type("\u{4}")
        #expect(child.waitUntilEnded() == 0)
        #expect(terminal.shown.unknown.isEmpty, "\(terminal.shown.unknown)")
    }

    @Test("three people have a group: it is made, answered, switched to and from, and what is unread elsewhere is said")
    func group() throws {
        let (alice, child) = try chat(as: "alice/phone")
        try alice.awaitRow("the list", containing: "There is no conversation yet")
        alice.type("\t/new bob\r")
        try alice.awaitRow("the bar", containing: "alice/phone with bob")
        alice.type("/group 'Morning run' bob carol\r")
        try alice.awaitRow("the group", containing: "alice/phone in Morning run (3)")
        alice.type("Six at the bridge?\r")
        try alice.awaitRow("the mark", containing: "Six at the bridge? ✓")

        let (bob, bobChild) = try chat(
            as: "bob/phone", ["--conversation", "morn"], bar: "bob/phone in Morning run (3)")
        try bob.awaitRow("the message", containing: "alice", "Six at the bridge?")
        #expect(bob.shown.rows.contains("--- new ---"))
        bob.type("/reply Make it seven\r")
        try alice.awaitRow("what is answered", containing: "│ alice: Six at the bridge?")
        try alice.awaitRow("the answer", containing: "             Make it seven")

        alice.type("/switch bob\r")
        try alice.awaitRow("the direct one", containing: "alice/phone with bob")
        bob.type("Or half past\r")
        try alice.awaitRow("what happens elsewhere", containing: "Morning run: bob wrote, 1 unread")
        try send("And I?", as: "carol/phone", "--conversation", "Morning")
        try alice.awaitRow("more of it", containing: "Morning run: carol wrote, 2 unread")
        alice.type("\u{1B}a")
        try alice.awaitRow("the group again", containing: "alice/phone in Morning run (3)")
        try alice.awaitRow("the mark of what is new", containing: "--- new ---")
        try alice.awaitRow("the newest", containing: "carol", "And I?")
        try eventually("that it is read:\n\(alice.shown.text)") {
            try parley.run("conversations", "--as", "alice/phone", "--json").lines.compactMap { line in
                try? JSON(parsing: line.utf8)
            }.first { $0["name"] == "Morning run" && $0["unread_count"] == 0 }
        }

        alice.type("/members\r")
        try alice.awaitRow("who is in it", containing: "carol", "member")
        alice.type("q")
        try alice.awaitRow("the talk again", containing: "carol", "And I?")
        alice.type("/board\r")
        try alice.awaitRow("that nobody counts there", containing: "Nobody counts here")
        alice.type("/search bridge\r")
        // The message itself stands in the talk, too, as what was answered.
        try alice.awaitRow("the page", containing: "Found, the newest last")
        try alice.awaitRow("what was found", containing: "alice: Six at the bridge?")
        alice.type("q")
        try alice.awaitRow("the talk once more", containing: "carol", "And I?")
        quit(alice, child)
        quit(bob, bobChild)
    }

    @Test("an older message is chosen by arrows or by its number, to react, edit, answer and delete")
    func older() throws {
        for text in ["one", "two", "three"] { try couple.send(text) }
        try send("four", as: "bob/phone", "--to", "alice")
        let (alice, child) = try chat(as: "alice/phone", ["--with", "bob"], bar: "alice/phone with bob")
        try alice.awaitRow("the newest", containing: "bob", "four")
        alice.type("\u{1B}[1;3A\u{1B}[1;3A\u{1B}[1;3A")
        try alice.awaitRow("what can be done", containing: "/reply, /edit, /delete or /react")
        alice.type("/edit 2\r")
        try alice.awaitRow("the change", containing: "edited")
        #expect(alice.shown.rows.contains { $0.contains("alice  2 ✓") }, "\(alice.shown.text)")
        alice.type("/re")
        try alice.awaitRow("numbers", containing: "#1 ", "one")
        alice.type("act #1 👍\r")
        try alice.awaitRow("the reaction", containing: "👍")
        alice.type("/delete #3\r")
        try alice.awaitRow("that it is gone", containing: "(deleted)")
        alice.type("/delete #4\r")
        try alice.awaitRow("a refusal", containing: "Only your own messages")
        alice.type("\u{1B}[1;3A")
        try alice.awaitRow("a choice", containing: "Esc")
        alice.type("\u{1B}")
        try eventually("no choice:\n\(alice.shown.text)") { () -> Void? in
            alice.shown.text.contains("; Esc") ? nil : ()
        }
        quit(alice, child)
    }

    @Test(
        "what was not on the screen is not read; the list stands beside the talk where there is room, and any size does"
    )
    func readingAndSizes() throws {
        for number in 1...40 { try couple.send("message \(number).") }
        try send("hello", as: "carol/phone", "--to", "bob")
        let (bob, child) = try chat(as: "bob/phone", ["--with", "alice"], rows: 12, bar: "bob/phone with alice")
        try bob.awaitRow("the first unread message", containing: "message 1.")
        #expect(!bob.shown.text.contains("message 40."))
        func unread() throws -> JSON {
            try parley.run("conversations", "--as", "bob/phone", "--json").lines.compactMap { line in
                try? JSON(parsing: line.utf8)
            }.first { $0["members"][0]["user_id"] == "alice" || $0["members"][1]["user_id"] == "alice" }?[
                "unread_count"]
                ?? .null
        }
        try eventually("that some are read") { try unread() != 40 ? () : nil }
        #expect(try (unread().int ?? 0) > 25)
        bob.resize(columns: 200, rows: 60)
        try bob.awaitRow("the list beside the talk", containing: "carol", "1 │")
        try bob.awaitRow("all of it", containing: "message 40.")
        try eventually("that all are read") { try unread() == 0 ? () : nil }
        for (columns, rows) in [(20, 10), (7, 3), (1, 1), (80, 24)] { bob.resize(columns: columns, rows: rows) }
        try bob.awaitRow("the newest", containing: "message 40.")
        quit(bob, child)
    }

    @Test("in lines nothing moves: no sequence at all comes, and each line is whole")
    func plain() throws {
        try couple.send("hello\u{1B}[2J")
        let terminal = try PseudoTerminal(columns: 100, rows: 40)
        let child = try terminal.start(
            Programs.path("parley"),
            ["chat", "--data", couple.gateway.directory, "--as", "bob/phone", "--with", "alice", "--plain"],
            directory: couple.gateway.directory)
        try terminal.awaitRow("whose chat it is", containing: "== bob/phone with alice ==")
        try terminal.awaitRow("what is new", containing: "--- new ---")
        try terminal.awaitRow("the message", containing: "#1 ", #"alice: hello\u{1b}[2J"#)
        terminal.type("/help\n")
        try terminal.awaitRow("the manual", containing: "ends the chat; so does")
        terminal.type("yes\n")
        try terminal.awaitRow("that it was sent", containing: "(sent, #2)")
        terminal.type("/reply #1 sure\n")
        try terminal.awaitRow("that it was sent", containing: "(sent, #3)")
        terminal.type("/list\n")
        try terminal.awaitRow("the list", containing: "/switch NAME goes to one.")
        terminal.type("/quit\n")
        #expect(child.waitUntilEnded() == 0)
        #expect(terminal.shown.modes.isEmpty && terminal.shown.unknown.isEmpty)
    }

    @Test(
        "the bell rings for what comes elsewhere if that is wanted, of this chat or of all",
        arguments: [(["--bell"], []), ([], ["PARLEY_BELL=1"])])
    func bell(options: [String], environment: [String]) throws {
        let (bob, child) = try chat(
            as: "bob/phone", ["--with", "carol"] + options, environment: environment, bar: "bob/phone with carol")
        try bob.awaitRow("a connection", containing: "Nothing was said yet")
        try couple.send("hello")
        try bob.awaitRow("what happens elsewhere", containing: "alice wrote, 1 unread")
        #expect(bob.shown.unknown.contains("\u{7}"))
        bob.type("\u{4}")
        #expect(child.waitUntilEnded() == 0)
    }

    @Test("who is removed from the group that the chat shows is told, and the list marks it")
    func removal() throws {
        try #require(try parley.run("group", "create", "--as", "alice/phone", "Morning run").status == 0)
        let link = try #require(try parley.run("group", "invite", "--as", "alice/phone").lines.first)
        try #require(try parley.run("group", "join", "--as", "bob/phone", link).status == 0)
        let (bob, child) = try chat(as: "bob/phone", ["--conversation", "morn"], bar: "bob/phone in Morning run (2)")
        try #require(try parley.run("group", "remove", "--as", "alice/phone", "bob").status == 0)
        try bob.awaitRow("that it is over", containing: "You are not in Morning run any more.")
        bob.type("\t")
        try bob.awaitRow("the mark in the list", containing: "Morning run", " left")
        bob.type("\u{7}")
        quit(bob, child)
    }

    @Test("a hostile name of a group stays a name")
    func hostile() throws {
        let made = try parley.run(
            "request", "--as", "alice/phone", "groups/create",
            #"{"id":"7f31a5d0-0000-4000-8000-00000000000a","name":"x\u001b[2J\u202ey"}"#)
        let (alice, child) = try chat(as: "alice/phone")
        if made.status == 0 {
            try alice.awaitRow("the name", containing: #"x\u{1b}[2J\u{202e}y"#)
        } else {
            try alice.awaitRow("no name", containing: "There is no conversation yet")
        }
        alice.type("\u{3}")
        alice.type("\u{3}")
        #expect(child.waitUntilEnded() == 0)
        #expect(alice.shown.unknown.isEmpty)
    }

    @Test("parley alone is the chat where one device is kept, and the help where no terminal is")
    func alone() throws {
        let folder = "\(couple.gateway.directory)/alone"
        let copy = try ChildProcess(
            "/bin/bash",
            [
                "-c",
                "mkdir -p '\(folder)/devices/alice' && cp -r devices/alice/phone '\(folder)/devices/alice/' && cp -r endpoint.json '\(folder)/'",
            ],
            directory: couple.gateway.directory, output: "/dev/null", errors: "/dev/null")
        try #require(copy.waitUntilEnded() == 0)
        let terminal = try PseudoTerminal()
        let child = try terminal.start(Programs.path("parley"), ["--data", folder], directory: folder)
        try terminal.awaitRow("the chat", containing: "alice/phone")
        terminal.type("\u{1B}")
        terminal.type("\u{4}")
        #expect(child.waitUntilEnded() == 0)
        let piped = try parley.run()
        #expect(piped.status == 0 && piped.output.contains("SUBCOMMANDS") || piped.output.contains("USAGE"), "\(piped)")
    }
}
