import Foundation
import Launch
import TestSupport
import Testing

/// The chat where another program draws the terminal, as many have it who come by ssh.
@Suite("parley chat in tmux", .ownThreads, .timeLimit(.minutes(20)))
struct MultiplexedChatTests {
    private let couple: Couple
    private let files: ServiceFiles

    init() throws {
        couple = try Couple(keysOf: ["alice/phone", "bob/phone"])
        files = ServiceFiles("tmux", in: couple.gateway.directory)
        try #require(try couple.parley.run("group", "create", "--as", "alice/phone", "Runners").status == 0)
        let link = try #require(try couple.parley.run("group", "invite", "--as", "alice/phone").lines.first)
        try #require(try couple.parley.run("group", "join", "--as", "bob/phone", link).status == 0)
        try #require(try couple.parley.run("workout", "log", "--as", "alice/phone").status == 0)
        try couple.send("Six at the bridge?")
    }

    /// Runs tmux with a server of this test's own.
    private func tmux(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        try files.run(
            "/usr/bin/env",
            [
                "-u", "TMUX", "LC_ALL=C.UTF-8", "TERM=xterm-256color", "tmux", "-u", "-S", "\(files.directory)/tmux",
                "-f", "/dev/null",
            ]
                + arguments)
    }

    private func type(_ text: String) throws {
        _ = try tmux(["send-keys", "-l", text])
        _ = try tmux(["send-keys", "Enter"])
    }

    /// What stands there, with the sequences of its colours.
    private func screen() throws -> String { try tmux(["capture-pane", "-e", "-p"]).output }

    private func awaitText(_ what: String, _ text: String) throws {
        var last = ""
        try eventually("\(what): \(last)") { () -> Void? in
            last = try screen()
            return last.replacing(/\u{1B}\[[0-9;]*m/, with: "").contains(text) ? () : nil
        }
    }

    /// The parameters by which a text's sequences choose a colour, of eight or of more, before or behind it.
    private static func colours(_ text: String) -> [Int] {
        let parameters = text.components(separatedBy: "\u{1B}[").dropFirst()
            .flatMap { $0.prefix { $0 != "m" }.split(separator: ";") }.compactMap { Int($0) }
        return parameters.filter { (30...38).contains($0) || (40...48).contains($0) || (90...107).contains($0) }
    }

    @Test(
        "at 80×24 and 200×60, with colours and without, messages, list and board stand where they do elsewhere",
        arguments: [(80, 24, false), (80, 24, true), (200, 60, false), (200, 60, true)])
    func sizes(columns: Int, rows: Int, isPlain: Bool) throws {
        let chat = try [Programs.path("parley"), "--data", couple.gateway.directory, "chat", "--as", "bob/phone"]
        let started = try tmux(
            ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "env"]
                + (isPlain ? ["NO_COLOR=1"] : ["-u", "NO_COLOR"]) + chat
                + ["--with", "alice"])
        try #require(started.status == 0, "\(started.errors)")
        defer { _ = try? tmux(["kill-server"]) }
        try awaitText("the message", "alice  Six at the bridge?")
        try awaitText("the bar", "bob/phone with alice")
        let shown = try screen()
        #expect(Self.colours(shown).isEmpty == isPlain, "\(shown.debugDescription)")
        // The list stands beside the talk where there is room.
        if columns == 200 { try awaitText("the group", " Runners") }
        try type("Make it seven")
        try awaitText("the mark of what was sent", "bob    Make it seven ✓")
        try type("/switch Runners")
        try awaitText("the group's bar", "bob/phone in Runners (2)")
        try type("/board")
        try awaitText("the board", "check-ins, week")
        _ = try tmux(["send-keys", "q"])
        try eventually("the talk again") { try !screen().contains("check-ins, week") ? () : nil }
        _ = try tmux(["send-keys", "C-d"])
        // With the last session tmux ends, too.
        try eventually("its end") { try tmux(["has-session"]).status != 0 ? () : nil }
    }
}
