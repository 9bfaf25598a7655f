import Launch
import Foundation
import Glibc
import ParleyClient
import ParleyMosquitto
import ParleyProtocol
import TestSupport
import Testing

/// Whatever strangers call themselves, their device or a group, and whatever they write: no byte of it commands the
/// terminal of whoever reads it, and none of it looks like a line of the tool's own.
@Suite("parley: hostile names and texts", .ownThreads)
final class HostileOutputTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }
    private let conversation: String
    private let watching: [String: ParleyTool.Run]

    /// Controls of both kinds, what turns the direction of writing, and ends of lines that are not `\n`, too.
    private static let hostile =
        "\u{1B}]0;t\u{7}\u{85}\u{9B}31m\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}\u{2029}\u{7F}\r\nparley: forged"

    /// How an output shows it.
    enum Form: Sendable {
        case plain, json

        var mark: String {
            switch self {
            case .plain: #"\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}"#
            case .json: #"\u009b31m\u202e\u2066\u200f\u061c\u2028\u2029\u007f"#
            }
        }
    }

    /// Alice is the stranger: in her name, the name of her second device and of a group, in messages to Bob and to
    /// Dave, who has to be asked first, in an edit, a reaction, the card of a plan, and in Bob's report of her.
    init() async throws {
        let (couple, hostile) = (try Couple(), Self.hostile)
        let parley = couple.parley
        func json(_ object: JSON) -> String { String(decoding: object.bytes, as: UTF8.self) }
        try #require(try parley.run("user", "add", "dave", "--message-privacy", "followers").status == 0)
        try couple.addDevice(of: "dave")
        for device in ["alice/phone", "bob/phone", "dave/phone"] { try couple.makeKeys(of: device) }
        try #require(
            try parley.run(
                "request", "--as", "alice/phone", "profile/set", json(["display_name": .string(hostile)])
            ).status == 0)
        try #require(try parley.run("device", "add", "alice", "laptop", "--name", hostile).status == 0)
        var watching: [String: ParleyTool.Run] = [:]
        for user in ["bob", "dave"] {
            watching["\(user) plain"] = try couple.listen(as: "\(user)/phone", "--events")
            watching["\(user) json"] = try couple.listen(as: "\(user)/phone", "--events", "--json")
        }
        let tail = try parley.start(["tail"])
        try couple.awaitWord("showing", of: tail)
        watching["tail"] = tail
        self.couple = couple
        self.watching = watching

        let sent = try couple.send(hostile)
        conversation =
            try couple.lines(of: #require(watching["bob json"]), count: 1)
            .compactMap { $0["conversation_id"].text }.last ?? ""
        let id = sent["data"]["id"].text ?? ""
        let edit = try parley.start(
            ["edit", "--as", "alice/phone", "--conversation", conversation, id, hostile + "2"])
        try #require(edit.child.waitUntilEnded() == 0, "\(edit.errors)")
        try await HostileOutputTests.react(to: id, in: conversation, of: couple)
        try #require(try parley.run("send", "--as", "alice/phone", "--to", "dave", hostile).status == 0)
        let follow = json(["user_id": "bob"])
        try #require(try parley.run("request", "--as", "alice/phone", "social/follow", follow).status == 0)
        let group = json(["type": "group", "participant_ids": ["bob"], "name": .string(hostile)])
        try #require(try parley.run("request", "--as", "alice/phone", "conversations/create", group).status == 0)
        for arguments in [
            ["group", "create", hostile], ["workout", "log"], ["activity", "post", hostile],
            ["plan", "share", "--to", "bob", "diet", "1", "--title", hostile, "--summary", hostile],
        ] {
            let run = try parley.start(arguments + ["--as", "alice/phone"])
            try #require(run.child.waitUntilEnded() == 0, "\(run.errors)")
        }
        let report = json(["id": .string(newID()), "user_id": "alice", "reason": .string(hostile)])
        try #require(try parley.run("request", "--as", "bob/phone", "reports/create", report).status == 0)
    }

    /// As a client does that takes any text for an emoji, which `parley react` does not.
    private static func react(to message: String, in conversation: String, of couple: Couple) async throws {
        let target = (try #require(MessageID(message)), try #require(ConversationID(conversation)))
        let alice = DeviceAddress(user: UserID("alice"), device: DeviceID("phone"))
        try await MessagingClient.open(.local(device: alice, in: couple.gateway.directory)) { client in
            try await client.ready(timeout: chatPatience)
            _ = try await client.conversation(target.1)
            _ = try await client.history(of: target.1, at: .newest, limit: 10)
            _ = try await client.outcome(of: client.react(to: target.0, in: target.1, with: HostileOutputTests.hostile))
        }
    }

    private func check(_ output: String, _ form: Form, _ what: String) {
        #expect(output.contains(form.mark), "\(what) does not show it: \(output)")
        for scalar in output.unicodeScalars where scalar != "\n" {
            let isCommand =
                scalar.properties.generalCategory == .control || (0x200E...0x200F).contains(scalar.value)
                || (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
                || scalar.value == 0x61C
            #expect(!isCommand, "\(what) has U+\(String(scalar.value, radix: 16))")
        }
        let lines = output.split(separator: "\n")
        #expect(!lines.contains { $0.hasPrefix("parley: forged") }, "\(what)")
        guard form == .json else { return }
        let meant = lines.compactMap { try? JSON(parsing: $0.utf8) }
        #expect(meant.count == lines.count, "\(what): each line is JSON")
        #expect(meant.contains { $0.contains(Self.hostile) }, "\(what): it means what was said")
    }

    /// Of the controls in ``hostile`` none is U+0000, which no argument of a command can hold and no name either.
    @Test("U+0000 in a message is made visible, and in a name or a group's name the gateway refuses it")
    func nullCharacter() throws {
        let id = newID()
        let sent = try parley.run(
            "send", "--as", "alice/phone", "--conversation", conversation, "-", input: "nil \u{0} nil\n")
        #expect(sent.status == 0, "\(sent.errors)")
        for (form, shown) in [("plain", #"nil \u{0} nil"#), ("json", #"nil \u0000 nil"#)] {
            let run = try #require(watching["bob \(form)"])
            try eventually("bob \(form): \(run.output)") { () -> Void? in run.output.contains(shown) ? () : nil }
            #expect(!run.output.unicodeScalars.contains("\u{0}"))
        }
        for (operation, fields) in [
            ("profile/set", #"{"display_name":"a\u0000b"}"#),
            (
                "conversations/create",
                #"{"id":"\#(id)","type":"group","participant_ids":["bob"],"name":"a\u0000b"}"#
            ),
        ] {
            let run = try parley.run("request", "--as", "alice/phone", operation, fields)
            #expect(run.status == 1 && run.output.contains("bad_request"), "\(run.output)")
        }
    }

    /// Commands that run to their end and print what others wrote.
    private static let commands = [
        ["user", "list"], ["user", "show", "alice"], ["device", "list", "alice"], ["devices", "--as", "alice/phone"],
        ["reports"], ["group", "list", "--as", "alice/phone"], ["group", "members", "--as", "alice/phone"],
        ["board", "--as", "alice/phone"], ["activity", "--as", "alice/phone"],
        ["conversations", "--as", "bob/phone"], ["requests", "--as", "dave/phone"],
        ["history", "--as", "bob/phone", "--with", "alice"], ["follow", "--as", "bob/phone", "--followers"],
        ["profile", "--as", "bob/phone", "alice"], ["open", "--as", "bob/phone", "parley://plan/diet/1"],
    ]

    /// Those that print it in one form only.
    private static let single: [(arguments: [String], form: Form)] = [
        (["user", "add", "alice"], .json), (["user", "rename", "alice", hostile, "--text"], .plain),
        (["request", "--as", "bob/phone", "conversations/list"], .json),
        (["request", "--as", "alice/phone", "profile/get"], .json),
        (["request", "--as", "alice/phone", "devices/list"], .json),
        (["request", "--as", "bob/phone", "social/followers"], .json),
    ]

    @Test("no command prints it as it is, in a pipe, where each line is JSON, or as people read it")
    func commands() throws {
        let both = Self.commands.flatMap { [($0, Form.json), ($0 + ["--json"], .json), ($0 + ["--text"], .plain)] }
        for (arguments, form) in both + Self.single {
            let run = try parley.start(arguments)
            #expect(run.child.waitUntilEnded() == 0, "\(run.errors)")
            check(run.output, form, arguments.joined(separator: " "))
            #expect(!run.errors.contains("\u{1B}") && !run.errors.contains("\u{9B}"))
        }
        let id = try #require(try parley.run("reports", "--json").json["id"].text)
        check(try parley.read("reports", "--id", id).output, .plain, "reports ID")
        check(try parley.run("reports", "--id", id).output, .json, "reports ID in a pipe")
        let push = couple.payload(try couple.firstPushed(to: "bob/phone", in: conversation), to: "bob/phone")
        check(try parley.read("push", "open", "--as", "bob/phone", "-", input: push).output, .plain, "push open")
        check(
            try parley.run("push", "open", "--as", "bob/phone", "-", input: push).output, .json, "push open in a pipe")
        // What is searched is what a chat has kept.
        #expect(try parley.run("chat", "--as", "bob/phone", "--with", "alice", input: "yes\n").status == 0)
        check(try parley.run("search", "--as", "bob/phone", "forged").output, .json, "search")
        #expect(try parley.run("block", "--as", "bob/phone", "alice").status == 0)
        check(try parley.run("block", "--as", "bob/phone").output, .json, "block")
    }

    @Test(
        "nor does one that goes on: listen with events, in both forms, tail, and a chat in a pipe",
        .oneMachine(.ownCell))
    func lasting() throws {
        let listening = ["bob plain": 3, "bob json": 4, "dave plain": 1, "dave json": 1]
        for (name, count) in listening.sorted(by: { $0.key < $1.key }) {
            let run = try #require(watching[name])
            try eventually("\(name): \(run.output)") { () -> Void? in
                run.output.components(separatedBy: "parley: forged").count > count ? () : nil
            }
            check(run.output, name.hasSuffix("json") ? .json : .plain, name)
        }
        let tail = try #require(watching["tail"])
        try eventually("tail: \(tail.output)") { () -> Void? in
            tail.output.contains("conversation.created") && tail.output.contains(Form.plain.mark) ? () : nil
        }
        check(tail.output, .plain, "tail")

        let history = try couple.listen(as: "bob/phone", "--history", "9")
        try eventually("history: \(history.output)") { () -> Void? in
            history.output.contains("(edited)") && history.output.contains("(reaction)") ? () : nil
        }
        check(history.output, .plain, "listen --history")
        // What one has written oneself is printed by the chat when it was sent.
        let chat = try parley.run("chat", "--as", "alice/phone", "--with", "bob", input: "\u{9B}31m\u{202E}\u{2028}\n")
        #expect(chat.status == 0 && chat.output.hasSuffix(#" alice: \u{9b}31m\u{202e} ↵ "# + "\n"), "\(chat.output)")
    }

    @Test("nor does a chat in a terminal, of a message, of who wants to write, and of a list of those")
    func terminal() throws {
        for (device, other, words) in [
            ("bob/phone", "alice", "alice"), ("dave/phone", "alice", "wants to write to you"),
        ] {
            let terminal = try PseudoTerminal(columns: 100, rows: 40)
            let child = try terminal.start(
                Programs.path("parley"), ["chat", "--data", couple.gateway.directory, "--as", device, "--with", other],
                directory: couple.gateway.directory)
            try terminal.awaitRow("what was written", containing: words, #"\u{1b}]0;t\u{7}"#)
            terminal.type("/requests\r")
            try terminal.awaitRow("the answer", containing: device.hasPrefix("bob") ? "Nobody waits" : "wants to write")
            #expect(terminal.shown.unknown.isEmpty)
            #expect(!terminal.shown.rows.contains { $0.hasPrefix("parley: forged") })
            terminal.type("\u{4}")
            #expect(child.waitUntilEnded() == 0)
        }
    }

    /// Commands that print nothing that others wrote: only ids, digits and sentences of their own, or the gateway's
    /// refusals, which go the same way as all others.
    private static let others: Set = [
        "account", "accept-key", "challenge", "check-config", "code", "delete", "device", "doctor", "edit", "explain",
        "link", "login", "logout", "metrics", "notifications", "passphrase", "plan", "react", "register", "retention",
        "rotate-keys", "safety-number", "send", "status", "trace", "unblock", "unfollow", "use", "verify", "whoami",
        "workout",
    ]

    @Test("every command is among those that were tried, or known to print nothing of others'")
    func all() throws {
        let help = try parley.run("--help").output
        let listed = help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().joined(separator: "\n")
        let names = listed.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }.filter { $0 != "See" }
        // `get-file` is tried in `FileCommandTests`.
        let elsewhere = ["block", "chat", "get-file", "listen", "push", "search", "tail"]
        let tried = Set(Self.commands.compactMap(\.first)).union(["request"] + elsewhere)
        #expect(Set(names) == tried.union(Self.others))
    }
}

extension JSON {
    /// Whether a string in it holds this text.
    fileprivate func contains(_ text: String) -> Bool {
        switch self {
        case .string(let string): string.unicodeScalars.map(\.value).contains(text.unicodeScalars.map(\.value))
        case .array(let elements): elements.contains { $0.contains(text) }
        case .object(let members): members.values.contains { $0.contains(text) }
        case .null, .bool, .int, .double: false
        }
    }
}
