import Launch
import TestSupport
import Testing

/// The one rule of what is printed where, over commands of all kinds.
@Suite("parley: sentences on a terminal, JSON in a pipe", .ownThreads)
final class OutputFormTests: ToolSuite {
    override init() throws {
        try super.init()
        for user in ["alice", "bob"] { try addUser(user, "--message-privacy", "anyone") }
        for user in ["alice", "bob"] {
            try #require(try parley.run("devices", "--as", "\(user)/phone").status == 0)
        }
        try #require(try parley.run("send", "--as", "alice/phone", "--to", "bob", "Hello").status == 0)
    }

    /// Each with a word that people read, and a member that programs do.
    private static let commands: [(arguments: [String], word: String, member: String)] = [
        (["user", "list"], "USER", "user_id"), (["user", "show", "alice"], "may be written to by", "privacy"),
        (["user", "add", "alice", "--message-privacy", "anyone"], "alice is there already", "user_id"),
        (["user", "add", "carol"], "added carol", "user_id"),
        (["user", "disable", "carol"], "carol is disabled", "changed"),
        (["device", "list", "alice"], "LAST SEEN", "device_id"),
        (["device", "renew-token", "alice", "phone"], "renewed the token of alice/phone", "credentials_file"),
        (["devices", "--as", "alice/phone"], "TOKEN ENDS", "device_id"),
        (["whoami", "--as", "alice/phone"], "device: alice/phone", "device_id"),
        (["whoami", "--all"], "token until", "device_id"), (["status"], "gateway", "wrong"),
        (["explain", "alice", "bob"], "alice", "permission"),
        (["send", "--as", "alice/phone", "--to", "bob", "Again"], "sent, number", "ok"),
        (["conversations", "--as", "alice/phone"], "UNREAD", "id"),
        (["history", "--as", "alice/phone", "--with", "bob"], "Hello", "content"),
        (["profile", "--as", "alice/phone"], "may write at once", "user_id"),
        (["follow", "--as", "alice/phone", "bob"], "alice follows bob", "following_count"),
        (["follow", "--as", "alice/phone"], "SINCE", "user_id"),
        (["group", "create", "--as", "alice/phone", "Run"], "Run is made", "id"),
        (["group", "list", "--as", "alice/phone"], "MEMBERS", "id"),
        (["group", "members", "--as", "alice/phone"], "ROLE", "members"),
        (["group", "invites", "--as", "alice/phone"], "USES LEFT", "id"),
        (["workout", "log", "--as", "alice/phone"], "check-in", "ok"),
        (["board", "--as", "alice/phone"], "alice", "entries"),
        (
            ["challenge", "create", "--as", "alice/phone", "--to", "bob", "steps", "5000", "--days", "3"], "bob",
            "status"
        ),
        (["challenge", "list", "--as", "alice/phone"], "BETWEEN", "status"),
        (["activity", "post", "--as", "alice/phone", "5 km"], "5 km", "title"),
        (["activity", "--as", "alice/phone"], "5 km", "title"),
        (["metrics", "report", "--as", "alice/phone", "--steps", "7000"], "7000", "steps"),
        (["notifications", "--as", "bob/phone"], "alice", "type"),
    ]

    @Test("each command that prints fields follows the rule, and --text and --json turn it round")
    func commands() throws {
        try #require(try parley.run("group", "create", "--as", "bob/phone", "Bob's").status == 0)
        for (arguments, word, member) in Self.commands {
            let what = arguments.joined(separator: " ")
            // What can be done once only is done in the first form.
            let isOnce =
                arguments.starts(with: ["group", "create"]) || arguments.starts(with: ["user", "add", "carol"])
            if arguments == ["group", "invites", "--as", "alice/phone"] {
                try #require(try parley.run("group", "invite", "--as", "alice/phone").status == 0)
            }
            let shown = try parley.onTerminal(arguments)
            #expect(shown.status == 0 && shown.output.contains(word), "\(what) on a terminal: \(shown)")
            #expect(!shown.output.hasPrefix("{"), "\(what) on a terminal: \(shown)")
            guard !isOnce else { continue }
            let piped = try parley.run(arguments)
            #expect(piped.status == 0 && !piped.lines.isEmpty, "\(what) in a pipe: \(piped)")
            for line in piped.lines {
                let object = try? JSON(parsing: line.utf8)
                #expect(object?.keys.contains(member) == true, "\(what) in a pipe: \(line)")
            }
            #expect(try parley.read(arguments).output.contains(word), "\(what) --text")
            #expect(try parley.onTerminal(["--json"] + arguments).output.hasPrefix("{"), "\(what) --json")
        }
    }

    @Test("a link by itself and what is done are printed as they are in a pipe, and two forms at once are refused")
    func withoutFields() throws {
        try #require(try parley.run("group", "create", "--as", "alice/phone", "Run").status == 0)
        #expect(try parley.run("group", "invite", "--as", "alice/phone").output.hasPrefix("parley://group/invite/"))
        #expect(try parley.run("group", "leave", "--as", "alice/phone").output == "left Run\n")
        let both = try parley.run("user", "list", "--json", "--text")
        #expect(both.status == 2 && both.errors.contains("--json and --text are two forms"))
        let chat = try parley.run("chat", "--json", "--as", "alice/phone")
        #expect(chat.status == 2 && chat.errors.contains("parley listen prints messages for programs"))
    }
}
