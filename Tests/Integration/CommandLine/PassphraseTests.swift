import Launch
import Foundation
import Glibc
import ParleyClient
import TestSupport
import Testing

@Suite("parley passphrase", .ownThreads)
struct PassphraseTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }
    private var keysPath: String { couple.gateway.directory + "/devices/alice/phone/keys" }

    init() throws { couple = try Couple(keysOf: ["alice/phone", "bob/phone"]) }

    /// Runs the tool where there is no terminal to ask.
    private func run(_ arguments: String..., input: String = "", environment: String = "") throws -> ParleyTool.Outcome
    {
        let run = try parley.start(
            arguments, script: "exec env \(environment) setsid --wait \"$0\" --data \"$@\"", input: input)
        return ParleyTool.Outcome(status: run.child.waitUntilEnded(), output: run.output, errors: run.errors)
    }

    private func passphrase(_ lines: String, _ arguments: String...) throws -> ParleyTool.Outcome {
        let run = try parley.start(["passphrase", "--as", "alice/phone"] + arguments, input: lines)
        return ParleyTool.Outcome(status: run.child.waitUntilEnded(), output: run.output, errors: run.errors)
    }

    private func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = "\(couple.gateway.directory)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private var keys: Data { get throws { try Data(contentsOf: URL(filePath: keysPath)) } }

    @Test("it is set, used, changed and taken away by lines of a pipe and by files, and a wrong one changes nothing")
    func pipe() throws {
        let set = try passphrase("first\n")
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.output == "a passphrase protects the keys of alice/phone\n")
        let protected = try keys

        let unasked = try run("send", "--as", "alice/phone", "--to", "bob", "one")
        #expect(unasked.status == 3 && unasked.output.isEmpty)
        #expect(unasked.errors.contains("there is no terminal to ask for it: name a file with --passphrase-file"))
        let right = try file("right", "first\nignored\n")
        let (wrong, open) = (try file("wrong", "second\n"), try file("open", "first\n", mode: 0o644))
        let refused = try run("send", "--as", "alice/phone", "--to", "bob", "--passphrase-file", wrong, "one")
        #expect(refused.status == 3 && refused.output.isEmpty)
        #expect(refused.errors.contains("is protected by another passphrase"))
        let exposed = try run("send", "--as", "alice/phone", "--to", "bob", "--passphrase-file", open, "one")
        #expect(exposed.status == 3 && exposed.errors.contains("chmod 600"))
        let sent = try run(
            "send", "--as", "alice/phone", "--to", "bob", "one", environment: "PARLEY_PASSPHRASE_FILE=\(right)")
        #expect(sent.status == 0, "\(sent.errors)")
        let chat = try run("chat", "--as", "alice/phone", "--with", "bob", "--passphrase-file", right, input: "two\n")
        #expect(chat.status == 0 && chat.output.hasSuffix(" alice: two\n"), "\(chat.errors)")

        for lines in ["second\nthird\n", "first\n", "first\n" + String(repeating: "x", count: 1025), ""] {
            let outcome = try passphrase(lines)
            #expect(outcome.status == (lines.hasPrefix("second") ? 3 : 2), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
        #expect(try passphrase("second\n", "--remove").status == 3)
        #expect(try keys == protected)

        #expect(try passphrase("first\nsecond\n").status == 0)
        #expect(try passphrase("third\n", "--passphrase-file", wrong).status == 0)
        #expect(try passphrase("third\n", "--remove").output.hasPrefix("no passphrase protects"))
        #expect(try passphrase("", "--remove").errors == "parley: no passphrase protects the keys of alice/phone\n")
        #expect(try run("send", "--as", "alice/phone", "--to", "bob", "three").status == 0)
        let needless = try run("send", "--as", "alice/phone", "--to", "bob", "--passphrase-file", right, "four")
        #expect(
            needless.status == 3 && needless.errors.contains("is not protected by a passphrase, though one was given"))
    }

    @Test("keys that are made where a file is named are protected from the first moment; no credentials, no keys")
    func firstUse() throws {
        try couple.addDevice("laptop", of: "alice")
        let right = try file("right", "first\n")
        let made = try run("devices", "--as", "alice/laptop", "--passphrase-file", right)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try run("devices", "--as", "alice/laptop").status == 3)
        let nobody = try parley.run("passphrase", "--as", "alice/tablet", input: "first\n")
        #expect(nobody.status == 3 && nobody.errors.contains("parley device add alice tablet"))
        #expect(!FileManager.default.fileExists(atPath: couple.gateway.directory + "/devices/alice/tablet"))
    }

    /// The tool in a terminal of its own.
    private func start(_ arguments: [String]) throws -> (terminal: PseudoTerminal, child: ChildProcess) {
        let terminal = try PseudoTerminal(columns: 100)
        let child = try terminal.start(
            Programs.path("parley"), arguments + ["--data", couple.gateway.directory],
            directory: couple.gateway.directory)
        return (terminal, child)
    }

    /// Runs `parley passphrase` in a terminal, answers each question, and gives its status and its output.
    private func typed(
        _ answers: [(question: String, line: String)], _ arguments: String...
    ) throws -> (status: Int32, screen: String) {
        let (terminal, child) = try start(["passphrase", "--as", "alice/phone"] + arguments)
        for answer in answers {
            try terminal.awaitRow("the question", containing: answer.question)
            terminal.type(answer.line + "\r")
        }
        let status = try child.awaitEnd(terminal.shown.text)
        #expect(terminal.settings == (try PseudoTerminal().settings))
        // A line that is longer than a row, as with the path of a directory, goes on in the next.
        let screen = terminal.shown.rows.joined()
        for answer in answers where !answer.line.isEmpty { #expect(!screen.contains(answer.line)) }
        return (status, screen)
    }

    @Test("in a terminal it is typed twice and never shown, and every command asks for it")
    func terminal() throws {
        let (new, again) = ("a new passphrase for the keys of alice/phone:", "the same once more:")
        let current = "the passphrase that the keys of alice/phone have:"
        let plain = try keys
        let differing = try typed([(new, "one-secret"), (again, "two-secret")])
        #expect(differing.status == 2 && differing.screen.contains("the two are not the same; nothing was changed"))
        #expect(try typed([(new, "")]).status == 2)
        #expect(try keys == plain)
        let set = try typed([(new, "one-secret"), (again, "one-secret")])
        #expect(set.status == 0 && set.screen.contains("a passphrase protects the keys of alice/phone"))

        let protected = try keys
        let wrong = try typed([(current, "two-secret")])
        #expect(wrong.status == 3 && wrong.screen.contains("is protected by another passphrase"))
        #expect(try keys == protected)
        let question = "the passphrase of the keys of alice/phone:"
        let (sending, child) = try start(["send", "--as", "alice/phone", "--to", "bob", "hello"])
        try sending.awaitRow("the question", containing: question)
        sending.type("one-secret\r")
        #expect(try child.awaitEnd(sending.shown.text) == 0, "\(sending.shown.text)")
        #expect(!sending.shown.text.contains("one-secret"))

        let (chat, chatChild) = try start(["chat", "--as", "alice/phone", "--with", "bob", "--recover"])
        try chat.awaitRow("the question", containing: question)
        chat.type("one-secret\r")
        try chat.awaitRow("the chat", containing: "alice", "hello")
        chat.type("\u{4}")
        #expect(try chatChild.awaitEnd(chat.shown.text) == 0)

        #expect(try typed([(current, "one-secret")], "--remove").status == 0)
        #expect(try run("devices", "--as", "alice/phone").status == 0)
    }

    @Test("Ctrl-C at the question ends it, and the terminal shows again what is typed")
    func interrupted() throws {
        let (terminal, child) = try start(["passphrase", "--as", "alice/phone"])
        try terminal.awaitRow("the question", containing: "a new passphrase")
        #expect(terminal.settings != (try PseudoTerminal().settings))
        terminal.type("half a\u{3}")
        #expect(try child.awaitEnd(terminal.shown.text) == 128 + SIGINT)
        #expect(terminal.settings == (try PseudoTerminal().settings))
        #expect(!terminal.shown.text.contains("half"))
    }

    @Test("killed at any moment it leaves keys that open with the old passphrase or the new one")
    func killed() throws {
        #expect(try passphrase("number 0\n").status == 0)
        var current = 0
        for number in 1...TestForm.count(short: 3, whole: 8) {
            let run = try parley.start(
                ["passphrase", "--as", "alice/phone"], input: "number \(current)\nnumber \(number)\n")
            // Any moment will do: opening the keys and sealing them anew take most of the time.
            usleep(UInt32(number) * 350_000)
            run.child.send(SIGKILL)
            let status = run.child.waitUntilEnded()
            let candidates = status == 0 ? [number] : [current, number]
            let fitting = try candidates.filter { candidate in
                let path = try file("candidate", "number \(candidate)")
                return try self.run("devices", "--as", "alice/phone", "--passphrase-file", path).status == 0
            }
            #expect(fitting.count == 1, "after \(status): \(fitting)")
            current = fitting.first ?? current
        }
    }
}
