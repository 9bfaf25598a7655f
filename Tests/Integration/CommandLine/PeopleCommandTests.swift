import Launch
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("parley: conversations, people and metrics", .ownThreads, .timeLimit(.minutes(20)))
struct PeopleCommandTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }

    init() throws { couple = try Couple(keysOf: ["alice/phone", "bob/phone"]) }

    /// Runs a command in a terminal to its end.
    private func show(_ arguments: String..., status: Int32 = 0) throws -> [String] {
        let terminal = try PseudoTerminal(columns: 120, rows: 30)
        let child = try terminal.start(
            Programs.path("parley"), ["--data", couple.gateway.directory] + arguments,
            directory: couple.gateway.directory)
        #expect(child.waitUntilEnded() == status, "\(arguments): \(terminal.shown.text)")
        return terminal.shown.rows.filter { !$0.isEmpty }
    }

    @Test("conversations are listed, and named by the beginning of a name or an id; several are listed")
    func conversations() throws {
        try couple.send("one")
        for name in ["Morning run", "Morning walk"] {
            let made = try parley.run(
                "request", "--as", "alice/phone", "conversations/create",
                #"{"type":"group","participant_ids":["bob"],"name":"\#(name)"}"#)
            try #require(made.status == 0, "\(made.output)")
        }
        let rows = try show("conversations", "--as", "bob/phone")
        #expect(rows.first?.split(separator: " ").map(String.init) == ["NAME", "UNREAD", "WITH", "LAST", "ID"])
        #expect(rows.count == 4 && rows.contains { $0.hasPrefix("alice         1") }, "\(rows)")
        let listed = try parley.run("conversations", "--as", "bob/phone").lines.map { try JSON(parsing: $0.utf8) }
        let run = try #require(listed.first { $0["name"] == "Morning run" }?["id"].text)

        #expect(
            try show("send", "--as", "alice/phone", "--conversation", "morning r", "six").last?.hasPrefix(
                "sent, number 1 ") == true)
        let several = try parley.run("send", "--as", "alice/phone", "--conversation", "morn", "six")
        #expect(several.status == 2 && several.errors.contains("Morning run (\(run.prefix(8)))"), "\(several.errors)")
        let none = try parley.run("send", "--as", "alice/phone", "--conversation", "evening", "six")
        #expect(none.status == 1 && none.errors.contains("no conversation is called evening"))

        let history = try show("history", "--as", "bob/phone", "--conversation", String(run.prefix(8)))
        #expect(history.count == 1 && history[0].hasPrefix("#1 ") && history[0].hasSuffix(" alice: six"))
        #expect(
            try parley.run("react", "--as", "bob/phone", "--conversation", "morning run", "--last", "👍").status == 0)
        #expect(try parley.run("edit", "--as", "alice/phone", "--conversation", run, "1", "seven").status == 0)
        let changed = try show("history", "--as", "bob/phone", "--conversation", "morning run")
        #expect(changed.last?.hasSuffix(" alice: seven  [👍]") == true, "\(changed)")
        #expect(
            try parley.run("edit", "--as", "alice/phone", "--conversation", run, "99", "x").errors.contains(
                "no message #99"))
        #expect(
            try parley.run("conversations", "--as", "bob/phone").output.contains(#""unread_count":1"#),
            "nothing is read")

        let listening = try couple.listen(as: "bob/phone", "--ids", "--history", "9", "--conversation", "morning r")
        try eventually("the message: \(listening.output)") { () -> Void? in
            listening.output.contains("Morning run alice/phone: seven") && listening.output.hasPrefix("#1 ") ? () : nil
        }
        listening.child.send(SIGTERM)
    }

    @Test("people are followed, blocked, shown and answered: a sentence on a terminal, JSON in a pipe")
    func people() throws {
        #expect(try show("follow", "--as", "alice/phone", "bob") == ["alice follows bob"])
        #expect(try parley.run("follow", "--as", "bob/phone", "alice").json["following_count"] == 1)
        #expect(try show("follow", "--as", "bob/phone", "--followers").last?.hasPrefix("alice") == true)
        #expect(try show("unfollow", "--as", "alice/phone", "bob") == ["alice does not follow bob"])
        #expect(try show("follow", "--as", "alice/phone") == ["parley: there is nothing yet"])
        #expect(try show("block", "--as", "alice/phone", "bob") == ["bob is blocked"])
        #expect(try parley.run("block", "--as", "alice/phone").json["user_id"] == "bob")
        #expect(try show("unblock", "--as", "alice/phone", "bob") == ["bob is not blocked"])

        #expect(
            try show("profile", "--as", "alice/phone", "--name", "Alice", "--message-privacy", "followers").first
                == "Alice (alice)")
        #expect(try parley.run("profile", "--as", "bob/phone", "alice").json["display_name"] == "Alice")
        try #require(try parley.run("user", "add", "carol").status == 0)
        try couple.addDevice(of: "carol")
        let asked = try parley.run("send", "--as", "carol/phone", "--to", "alice", "may I?")
        try #require(asked.status == 0, "\(asked.errors) \(asked.output)")
        #expect(try show("requests", "--as", "alice/phone").last?.hasSuffix(" carol: may I?") == true)
        #expect(try show("requests", "accept", "--as", "alice/phone", "carol") == ["carol may write"])
        #expect(try parley.run("requests", "decline", "--as", "alice/phone", "carol").status == 1)
        #expect(try show("requests", "--as", "alice/phone") == ["parley: nobody waits to write"])
    }

    @Test("a day is reported, and a challenge counts it; the challenge is named by the beginning of its id")
    func metrics() throws {
        let made = try parley.run(
            "challenge", "create", "--as", "alice/phone", "--to", "bob", "steps", "50000", "--days", "7")
        let id = try #require(made.json["id"].text, "\(made.errors)")
        let accepted = try show("challenge", "accept", "--as", "bob/phone", String(id.prefix(8)))
        #expect(accepted.last?.contains("alice and bob, 50000 steps in 7 days: active") == true, "\(accepted)")
        let reported = try show("metrics", "report", "--as", "bob/phone", "--steps", "7000", "--zone", "UTC")
        #expect(reported.count == 1 && reported[0].hasSuffix(" in UTC: 7000 steps"), "\(reported)")
        try eventually("that it counts") {
            try parley.read("challenge", "list", "--as", "alice/phone").output.contains("bob 7000") ? () : nil
        }
        let later = try parley.run("metrics", "report", "--as", "bob/phone", "--steps", "7100", "--zone", "UTC")
        #expect(later.json["steps"] == 7100, "\(later.output)")
    }

    @Test("notifications have the group's name, and a closed week says since when it is")
    func groups() throws {
        let made = try show("group", "create", "--as", "alice/phone", "Morning run", "--time-zone", "Europe/Berlin")
        #expect(made.last?.hasPrefix("Morning run is made, with weeks of Europe/Berlin") == true)
        let link = try #require(try parley.run("group", "invite", "--as", "alice/phone").lines.first)
        let listening = try couple.listen(as: "alice/phone", "--events")
        #expect(try show("group", "join", "--as", "bob/phone", link).last == "you are in Morning run now, with 1 other")
        try eventually("who joined what; there is: \(listening.output)") {
            listening.output.contains("bob is in Morning run now\n") ? () : nil
        }
        listening.child.send(SIGTERM)
        try eventually("the notification") {
            try parley.read("notifications", "--as", "alice/phone").output.contains("Morning run: bob joined")
                ? () : nil
        }
        let logged = try #require(
            try show("workout", "log", "--as", "bob/phone").joined().firstMatch(
                of: /: 1 check-in, 1 day in a row; parley workout delete ([0-9a-f]{8}) takes it back/))
        let taken = try show("workout", "delete", "--as", "bob/phone", String(logged.1))
        #expect(taken.last?.hasSuffix(": 0 check-ins, 0 days in a row") == true, "\(taken)")
        let closed = try show("workout", "log", "--as", "bob/phone", "--at", "2026-01-15T07:30:00Z", status: 1)
        #expect(closed.joined().contains("Morning run: week 2026-W03 closed Mon 19 Jan 2026"), "\(closed)")
        #expect(closed.joined().contains("Europe/Berlin"))
    }
}
