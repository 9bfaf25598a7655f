import Launch
import Foundation
import Glibc
import TestSupport
import Testing

/// Linking, verifying, accepting and recovering, as people do it in their terminals. `docs/client.md` shows what they
/// see, and is compared with it.
@Suite("parley: account keys in terminals", .ownThreads)
struct AccountFlowTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }

    init() throws { couple = try Couple(keysOf: ["alice/phone", "bob/phone"]) }

    /// A program in a terminal of its own.
    private struct Window {
        let terminal: PseudoTerminal
        let child: ChildProcess

        func answer(_ question: String, _ line: String) throws {
            // It may go on in the next row.
            try eventually("\(question); the terminal shows:\n\(terminal.shown.text)") { () -> Void? in
                terminal.shown.rows.joined().contains(question) ? () : nil
            }
            terminal.type(line + "\r")
        }

        /// Waits for its end.
        ///
        /// - Returns: the lines that it has shown, each whole however many rows it took.
        func end(_ status: Int32 = 0) throws -> [String] {
            let ended = try child.awaitEnd(terminal.shown.text)
            let shown = terminal.shown
            #expect(ended == status, "\(shown.text)")
            #expect(shown.unknown.isEmpty)
            var lines: [String] = []
            var isWhole = true
            for row in shown.rows {
                if isWhole { lines.append(row) } else { lines[lines.count - 1] += row }
                isWhole = row.count < shown.columns
            }
            return lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }

        /// The whole row that begins so.
        func row(_ beginning: String) throws -> String {
            try eventually("\(beginning); the terminal shows:\n\(terminal.shown.text)") {
                terminal.shown.rows.first { $0.hasPrefix(beginning) }
            }
        }
    }

    private func open(_ arguments: String...) throws -> Window {
        let terminal = try PseudoTerminal(columns: 120, rows: 60)
        let child = try terminal.start(
            "/usr/bin/env", ["PARLEY_DATA=\(couple.gateway.directory)", Programs.path("parley")] + arguments,
            directory: couple.gateway.directory)
        return Window(terminal: terminal, child: child)
    }

    /// Runs a command in a terminal to its end, without a word from anybody.
    private func show(_ arguments: String..., status: Int32 = 0) throws -> [String] {
        let terminal = try PseudoTerminal(columns: 120, rows: 60)
        let child = try terminal.start(
            "/usr/bin/env", ["PARLEY_DATA=\(couple.gateway.directory)", Programs.path("parley")] + arguments,
            directory: couple.gateway.directory)
        return try Window(terminal: terminal, child: child).end(status)
    }

    private func expect(_ rows: [String], asShown name: String) throws {
        #expect(
            DocumentedTerminal.shape(rows) == (try DocumentedTerminal.lines(name)), "\(rows.joined(separator: "\n"))")
    }

    private func groups(_ text: String) -> [String] {
        text.split { !$0.isNumber }.map(String.init).filter { $0.count == 5 }
    }

    // MARK: Linking

    @Test("a device is linked: a code as text and drawn, the same fifteen digits on both sides, and both say yes")
    func linking() throws {
        try couple.send("before")
        try couple.send("it")
        try couple.addDevice("laptop", of: "bob")
        let laptop = try open("link", "--as", "bob/laptop")
        let code = try laptop.row("parley-link/1/bob/laptop/")
        try laptop.terminal.awaitRow("until when", containing: "parley: waiting until")
        let drawn = laptop.terminal.shown.rows.filter { $0.contains("▀") || $0.contains("█") }
        // 37 modules and a margin of four on each side, two rows of them a line; the first line is all light.
        #expect(drawn.count == 23 && drawn.allSatisfy { $0.count <= 45 })
        #expect(drawn.first == String(repeating: "█", count: 45))

        let phone = try open("link", "approve", "--as", "bob/phone", code)
        try phone.answer("Type yes to approve:", "yes")
        let approved = try phone.end()
        let digits = groups(approved.last ?? "")
        #expect(digits.count == 3)
        let question = try laptop.terminal.awaitRow("the question", containing: "Does the other device show")
        #expect(groups(question) == digits)
        try laptop.answer("Type yes:", "yes")
        let linked = try laptop.end()
        #expect(linked.last == "linked bob/laptop")
        try expect(linked, asShown: "link")
        try expect(approved, asShown: "link approve")
        try expect(try show("devices", "--as", "bob/phone"), asShown: "devices")

        try couple.send("after")
        let listening = try open("listen", "--as", "bob/laptop", "--history", "10")
        try listening.terminal.awaitRow("what came", containing: "alice/phone: after")
        listening.terminal.type("\u{3}")
        // Notices of keys come at any time.
        let heard = try listening.end().filter { !$0.hasPrefix("parley: ") && $0 != "^C" }
        try expect(heard, asShown: "listen after linking")
    }

    @Test("other digits, a no and a wrong code link nothing, and an unlinked device is told of and removed")
    func notLinked() throws {
        try couple.addDevice("laptop", of: "bob")
        let laptop = try open("link", "--as", "bob/laptop")
        let code = try laptop.row("parley-link/1/bob/laptop/")
        let refused = try open("link", "approve", "--as", "bob/phone", code)
        try refused.answer("Type yes to approve:", "no")
        #expect(try refused.end(1).last == "parley: not approved")
        let changed = String(code.dropLast(2)) + (code.suffix(2) == "AA" ? "BA" : "AA")
        for (wrong, status) in [(changed, 1), (String(code.dropLast()), 2), ("hello", 2)] as [(String, Int32)] {
            let rows = try show("link", "approve", "--as", "bob/phone", "--yes", wrong, status: status)
            #expect(rows.count >= 1 && rows.allSatisfy { !$0.hasPrefix("approved") })
        }
        #expect(
            try show("link", "approve", "--as", "alice/phone", "--yes", code, status: 1).first?
                .contains("another user's device") == true)

        let approving = try open("link", "approve", "--as", "bob/phone", code)
        try approving.answer("Type yes to approve:", "yes")
        _ = try approving.end()
        try laptop.answer("Does the other device show", "no")
        #expect(try laptop.end(1).joined(separator: " ").contains("not linked: the other device shows other digits"))
        let unlinked = try show("devices", "--as", "bob/laptop")
        #expect(unlinked.contains { $0.contains("bob/laptop is to be linked by one of your other devices") })
        let told = try show("devices", "--as", "bob/phone")
        #expect(told.contains { $0.hasPrefix("laptop") && $0.contains("NOT CERTIFIED") })
        #expect(told.contains { $0.contains("laptop is linked by none of your devices, and gets nothing") })
        #expect(try show("devices", "remove", "--as", "bob/phone", "laptop").last == "removed bob/laptop")
        #expect(!(try show("devices", "--as", "bob/phone")).contains { $0.contains("laptop") })
    }

    // MARK: Comparing

    @Test("a code of the other's screen verifies them; one's own, another's and a changed one do not")
    func verifying() throws {
        try couple.send("hello")
        let shown = try show("safety-number", "--as", "alice/phone", "--with", "bob", "--qr")
        let code = try #require(shown.last)
        #expect(code.hasPrefix("parley-safety/1/alice/bob/"))
        #expect(shown.filter { $0.contains("█") }.count > 20)
        try expect(shown, asShown: "safety number")
        try expect(try show("verify", "--as", "bob/phone", "--with", "alice", code), asShown: "verify")
        #expect(
            try show("verify", "--as", "alice/phone", "--with", "bob", code, status: 2).last?
                .contains("of other users, or your own") == true)
        let changed = code.replacingOccurrences(of: code.suffix(40), with: String(repeating: "A", count: 40))
        let warned = try show("verify", "--as", "bob/phone", "--with", "alice", changed, status: 1)
        #expect(warned.first?.hasPrefix("parley: WARNING: alice's screen shows other keys") == true)
        #expect(try show("verify", "--as", "bob/phone", "--with", "alice", "hello", status: 2).count == 1)
    }

    // MARK: Losing devices

    @Test("the recovery key is shown once, and gives a device that was set up anew the account back; no number changes")
    func recovering() throws {
        try couple.send("before")
        let number = try couple.safetyNumber()
        let backedUp = try show("account", "backup", "--as", "bob/phone")
        try expect(backedUp, asShown: "account backup")
        let key = try #require(backedUp.first)
        try couple.forgetKeys(of: "bob/phone")

        let wrong = try open("account", "recover", "--as", "bob/phone")
        try wrong.answer("the recovery key:", key.dropLast() + (key.last == "0" ? "1" : "0"))
        let refused = try wrong.end(2)
        #expect(refused.last?.hasPrefix("parley: ") == true && !refused.contains { $0.contains("recovered") })
        let recovering = try open("account", "recover", "--as", "bob/phone")
        try recovering.answer("the recovery key:", key.lowercased())
        try expect(try recovering.end(), asShown: "account recover")
        #expect(try couple.safetyNumber() == number)
        let sent = try parley.run("send", "--as", "alice/phone", "--to", "bob", "after")
        #expect(sent.status == 0 && !sent.errors.contains("not accepted"), "\(sent.errors)")
    }

    @Test("a reset is asked for, holds back what others send, and goes on by the first groups of the compared number")
    func resetting() throws {
        try couple.send("before")
        try #require(try parley.run("user", "add", "carol", "--message-privacy", "anyone").status == 0)
        try couple.addDevice(of: "carol")
        try couple.makeKeys(of: "carol/phone")
        let alices = try halves(of: "alice/phone", "carol")
        let refused = try open("account", "reset", "--as", "bob/phone")
        try refused.answer("Type yes to go on:", "no")
        #expect(try refused.end(1).last == "parley: nothing was changed")

        let accept = ["accept-key", "--as", "alice/phone", "--with", "bob"]
        var (isShown, hasTriedNine) = (false, false)
        // Which half stands first is a matter of chance: until it has been the other's.
        while !isShown {
            let resetting = try open("account", "reset", "--as", "bob/phone")
            try resetting.answer("Type yes to go on:", "yes")
            let reset = try resetting.end()
            let number = try #require(try show("safety-number", "--as", "bob/phone", "--with", "alice").last)
            isShown = !alices.contains(Array(groups(number).prefix(6)))
            guard isShown || !hasTriedNine else { continue }
            let held = try show("send", "--as", "alice/phone", "--to", "bob", "held", status: 1)
            let compared = try show("safety-number", "--as", "alice/phone", "--with", "bob")
            #expect(compared.last == number)
            let three = groups(number).prefix(3)
            guard isShown else {
                let short = try parley.start(accept + three)
                #expect(short.child.waitUntilEnded() == 1 && short.errors.contains("the first 9 groups"))
                #expect(try parley.start(accept + groups(number).prefix(9)).child.waitUntilEnded() == 0)
                hasTriedNine = true
                continue
            }
            try expect(reset, asShown: "account reset")
            try expect(held, asShown: "held")
            try expect(compared, asShown: "compared")
            try expect(
                try show("accept-key", "--as", "alice/phone", "--with", "bob", three[0], three[1], three[2]),
                asShown: "accept")
            try expect(try show("send", "--as", "alice/phone", "--to", "bob", "It is you"), asShown: "sent")
        }
    }

    /// The number of the two, in its two halves.
    private func halves(of device: String, _ other: String) throws -> [[String]] {
        let number = groups(try #require(try show("safety-number", "--as", device, "--with", other).last))
        return [Array(number.prefix(6)), Array(number.suffix(6))]
    }
}

/// The terminals in `docs/client.md`, each a block of `console` under a comment with its name.
///
/// Digits, codes, keys and times are others in each run, and a drawn code is left out: what is compared is the rest.
private enum DocumentedTerminal {
    static func lines(_ name: String) throws -> [String] {
        let page = try String(contentsOf: Document.folder.appending(path: "client.md"), encoding: .utf8)
        let parts = page.components(separatedBy: "<!-- terminal: \(name) -->\n\n```console\n")
        let block = try #require(parts.count == 2 ? parts[1].components(separatedBy: "\n```").first : nil, "\(name)")
        // The commands come first.
        return shape(Array(block.components(separatedBy: "\n").drop { $0.hasPrefix("$ ") || $0.hasPrefix("    ") }))
    }

    /// What does not depend on the run. A row of the page that begins with four spaces goes on with the one before.
    static func shape(_ rows: [String]) -> [String] {
        let shapes = [
            (#"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"#, "ID"), (#"[0-9A-Za-z_-]{40,43}"#, "CODE"),
            (#"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+Z)?"#, "TIME"), (#""epoch":"[^"]+""#, "EPOCH"),
            (#"\b\d{5}\b"#, "12345"), (#"(?i)\b[0-9A-HJKMNP-TV-Z]{4}( [0-9A-HJKMNP-TV-Z]{4}){6}\b"#, "KEY"),
        ]
        let lines = rows.reduce(into: [String]()) { lines, row in
            if row.hasPrefix("    "), let last = lines.popLast() {
                lines.append(last + (last.hasSuffix(",") ? "" : " ") + row.trimmingCharacters(in: .whitespaces))
            } else {
                lines.append(row)
            }
        }
        return lines.filter { !$0.contains("█") && !$0.contains("▀") && $0 != "…" }.map { row in
            shapes.reduce(row) { $0.replacingOccurrences(of: $1.0, with: $1.1, options: .regularExpression) }
        }
    }
}
