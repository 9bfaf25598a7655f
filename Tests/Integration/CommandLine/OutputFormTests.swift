import Launch
import TestSupport
import Testing

/// The one rule of what is printed where. A new command has to be among those that are tried or named here.
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

    private struct Case: Sendable {
        let arguments: [String]
        /// What people read.
        let word: String
        /// What programs do.
        let member: String
        /// Whether it can be done once only: then people's form is tried alone.
        let isOnce: Bool

        init(_ command: String, as device: String? = nil, _ word: String, _ member: String, isOnce: Bool = false) {
            arguments = command.split(separator: " ").map(String.init) + (device.map { ["--as", $0] } ?? [])
            (self.word, self.member, self.isOnce) = (word, member, isOnce)
        }
    }

    /// In this order.
    private static let cases = [
        Case("user list", "USER", "user_id"), Case("user show alice", "may be written to by", "privacy"),
        Case("user add alice --message-privacy anyone", "alice is there already", "user_id"),
        Case("user add carol", "added carol", "user_id", isOnce: true),
        Case("user rename carol Carol", "Carol", "changed"), Case("user disable carol", "carol is disabled", "changed"),
        Case("user enable carol", "carol", "changed"), Case("user remove carol --yes", "removed", "changed"),
        Case("user erase carol --yes", "carol", "changed"),
        Case("device add alice laptop", "added alice/laptop", "credentials_file", isOnce: true),
        Case("device list alice", "LAST SEEN", "device_id"),
        Case("device renew-token alice phone", "renewed the token of alice/phone", "credentials_file"),
        Case("devices", as: "alice/phone", "TOKEN ENDS", "status"),
        Case("whoami", as: "alice/phone", "device: alice/phone", "device_id"),
        Case("whoami --all", "token until", "device_id"), Case("status", "gateway", "wrong"),
        Case("doctor", "settings", "checks"), Case("explain alice bob", "alice", "permission"),
        Case("retention show alice,bob", "messages are kept", "days"),
        Case("retention set alice,bob 90", "messages are kept", "days"),
        Case("send --to bob Again", as: "alice/phone", "sent, number", "ok"),
        Case("edit --conversation bob --last More", as: "alice/phone", "sent, number", "ok"),
        Case("react --conversation alice --last 👍", as: "bob/phone", "sent, number", "ok"),
        Case("delete --conversation bob --last", as: "alice/phone", "sent, number", "ok"),
        Case("plan share --to bob diet 1 --title Low", as: "alice/phone", "sent, number", "ok"),
        Case("conversations", as: "alice/phone", "UNREAD", "id"),
        Case("history --with bob", as: "alice/phone", "Hello", "content"),
        Case("open parley://plan/diet/1", as: "bob/phone", "Low", "link"),
        Case("profile", as: "alice/phone", "may write at once", "user_id"),
        Case("follow bob", as: "alice/phone", "alice follows bob", "following_count"),
        Case("follow", as: "alice/phone", "SINCE", "user_id"),
        Case("unfollow bob", as: "alice/phone", "does not follow", "following_count"),
        Case("block alice", as: "bob/phone", "alice is blocked", "following_count"),
        Case("block", as: "bob/phone", "SINCE", "user_id"),
        Case("unblock alice", as: "bob/phone", "alice is not blocked", "following_count"),
        Case("reports", as: nil, "REASON", "reason"),
        Case("group create Run", as: "alice/phone", "Run is made", "id", isOnce: true),
        Case("group list", as: "alice/phone", "MEMBERS", "id"),
        Case("group members", as: "alice/phone", "ROLE", "members"),
        Case("group invites", as: "alice/phone", "USES LEFT", "id"),
        Case("group rename Runners", as: "alice/phone", "is called Runners now", "id"),
        Case("workout log", as: "alice/phone", "check-in", "ok"), Case("board", as: "alice/phone", "alice", "entries"),
        Case("challenge create --to bob steps 5000 --days 3", as: "alice/phone", "bob", "status"),
        Case("challenge list", as: "alice/phone", "BETWEEN", "status"),
        Case("activity post Five", as: "alice/phone", "Five", "title"),
        Case("activity", as: "alice/phone", "Five", "title"),
        Case("metrics report --steps 7000", as: "alice/phone", "7000", "steps"),
        Case("notifications", as: "bob/phone", "alice", "type"),
    ]

    @Test("each command that prints fields follows the rule, which --text and --json override")
    func commands() throws {
        let report = #"{"id":"\#(newID())","user_id":"alice","reason":"spam"}"#
        try #require(try parley.run("request", "--as", "bob/phone", "reports/create", report).status == 0)
        for each in Self.cases {
            let (arguments, what) = (each.arguments, each.arguments.joined(separator: " "))
            if arguments.starts(with: ["group", "invites"]) {
                try #require(try parley.run("group", "invite", "--as", "alice/phone").status == 0)
            }
            let shown = try parley.onTerminal(arguments)
            #expect(shown.status == 0 && shown.output.contains(each.word), "\(what) on a terminal: \(shown)")
            #expect(!shown.lines.contains { $0.hasPrefix("{") }, "\(what) on a terminal: \(shown)")
            guard !each.isOnce else { continue }
            let piped = try parley.run(arguments)
            #expect(piped.status == 0 && !piped.lines.isEmpty, "\(what) in a pipe: \(piped)")
            for line in piped.lines {
                let object = try? JSON(parsing: line.utf8)
                #expect(object?.keys.contains(each.member) == true, "\(what) in a pipe: \(line)")
            }
            #expect(try parley.read(arguments).output.contains(each.word), "\(what) --text")
            let asked = try parley.onTerminal(["--json"] + arguments)
            #expect(asked.status == 0 && asked.lines.contains { $0.hasPrefix("{") }, "\(what) --json: \(asked)")
        }
    }

    /// Those that print a value by itself or that something is done, and with `--json` an object of it.
    private static let values: Set = [
        "register", "login", "logout", "use", "get-file", "safety-number", "verify", "accept-key", "link offer",
        "link approve", "devices remove", "account backup", "account recover", "account reset", "rotate-keys",
        "passphrase", "code", "device export", "device revoke", "group invite", "group remove", "group leave",
        "group delete", "requests accept", "requests decline", "push unregister",
    ]
    /// Those that print in one form, and say so.
    private static let single: Set = ["chat", "tail", "request", "check-config", "help"]
    /// Those whose two forms are tried where what they print is made.
    private static let elsewhere: Set = [
        "listen", "search", "requests list", "trace", "user export", "group join", "group revoke", "group role",
        "challenge accept", "challenge decline", "challenge cancel", "challenge share", "workout delete",
        "activity react", "activity unreact", "push register webhook", "push register webpush", "push register apns",
        "push register fcm", "push open", "push listen", "push test",
    ]

    /// The names of all commands that have no further commands.
    private func leaves(of command: JSON, _ path: [String] = []) -> [String] {
        let further = command["subcommands"].elements
        guard !further.isEmpty else { return [path.joined(separator: " ")] }
        return further.flatMap { leaves(of: $0, path + [$0["commandName"].text ?? ""]) }
    }

    @Test("every command is among those that were tried, or known to print in another way")
    func all() throws {
        let help = try parley.runAlone(["--experimental-dump-help"])
        try #require(help.status == 0)
        let names = leaves(of: help.json["command"])
        try #require(names.count > 50)
        let tried = Self.cases.map { $0.arguments.joined(separator: " ") }
        let known = Self.values.union(Self.single).union(Self.elsewhere)
        for name in names where !known.contains(name) {
            // Some list what there is where no further command is named.
            let isTried = tried.contains { $0 == name || $0.hasPrefix(name + " ") }
            let whole = name.hasSuffix(" list") ? String(name.dropLast(" list".count)) : name
            #expect(isTried || tried.contains { $0 == whole || $0.hasPrefix(whole + " --as ") }, "\(name)")
        }
        #expect(known.subtracting(names + ["help"]).isEmpty)
    }

    @Test("a link by itself and what is done are printed as they are in a pipe, and as objects with --json")
    func values() throws {
        try #require(try parley.run("group", "create", "--as", "alice/phone", "Run").status == 0)
        #expect(try parley.run("group", "invite", "--as", "alice/phone").output.hasPrefix("parley://group/invite/"))
        let invite = try parley.run("group", "invite", "--as", "alice/phone", "--json").json
        #expect(invite["url"].text?.hasPrefix("parley://group/invite/") == true && invite["id"] != .null)
        #expect(try parley.run("safety-number", "--as", "alice/phone", "--with", "bob").output.first?.isNumber == true)
        let number = try parley.run("safety-number", "--as", "alice/phone", "--with", "bob", "--json").json
        #expect(number["safety_number"].text?.contains(" ") == true)
        #expect(try parley.run("group", "leave", "--as", "alice/phone", "--json").json["done"] == "left Run")
        #expect(try parley.run("use", "alice/phone").output == "alice/phone acts where --as names nobody\n")
    }

    @Test("two forms at once are refused, and one that a command does not have, with what has it")
    func refusals() throws {
        for (arguments, sentence) in [
            (["user", "list", "--json", "--text"], "--json and --text are two forms"),
            (["chat", "--json", "--as", "alice/phone"], "parley listen prints messages for programs"),
            (["tail", "--json"], "mosquitto_sub prints what is published"),
            (["check-config", "--json"], "parley doctor has what it finds as JSON"),
            (["request", "--text", "--as", "alice/phone", "profile/get"], "printed as the gateway gives it"),
        ] {
            let refused = try parley.run(arguments)
            #expect(refused.status == 2 && refused.errors.contains(sentence), "\(arguments): \(refused)")
            #expect(refused.output.isEmpty)
        }
    }
}
