import Foundation
import Launch
import TestSupport
import Testing

@Suite("Files and cards in a chat", .ownThreads, .timeLimit(.minutes(20)))
struct FileChatTests {
    private let couple: Couple
    private let site: FileSite

    /// A PNG of one pixel.
    private static let picture = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    init() throws {
        couple = try Couple(keysOf: ["alice/phone", "bob/phone"])
        site = try FileSite(couple.gateway)
        try site.standInDataDirectory()
    }

    private func chat(
        as device: String, with other: String, columns: Int = 160, environment: [String] = [],
        attributes: String? = nil, cell: (width: Int, height: Int)? = nil
    ) throws -> (terminal: PseudoTerminal, child: ChildProcess) {
        let terminal = try PseudoTerminal(columns: columns, rows: 40, attributes: attributes, cell: cell)
        let child = try terminal.start(
            Programs.path("parley"),
            ["chat", "--data", couple.gateway.directory, "--as", device, "--with", other], environment: environment,
            directory: couple.gateway.directory)
        try terminal.awaitRow("the chat's bar", containing: "\(device) with \(other)")
        return (terminal, child)
    }

    /// Lets alice send a file by a command.
    private func send(_ arguments: String...) throws {
        let run = try couple.parley.run(["send", "--as", "alice/phone", "--to", "bob"] + arguments)
        try #require(run.status == 0, "\(run.errors)")
    }

    private func place(_ name: String) throws -> String {
        let path = "\(couple.gateway.directory)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }

    private func write(_ content: Data?, _ name: String) throws -> String {
        let path = "\(couple.gateway.directory)/\(name)"
        try #require(content).write(to: URL(filePath: path))
        return path
    }

    @Test("/file sends one, which the other saves by its number, equal to the byte and under a free name")
    func sentAndSaved() throws {
        let file = try site.file(3_000_000, name: "training plan.pdf")
        let place = try place("received")
        let (alice, aliceChild) = try chat(as: "alice/phone", with: "bob")
        let (bob, bobChild) = try chat(as: "bob/phone", with: "alice")
        try alice.awaitRow("a connection", containing: "Nothing was said yet")
        try bob.awaitRow("a connection", containing: "Nothing was said yet")
        alice.type("/file \(file.path)\r")
        try alice.awaitRow("the mark", containing: "[file] training plan.pdf, 3.0 MB, application/pdf ✓")
        try bob.awaitRow("the card", containing: "alice", "[file] training plan.pdf, 3.0 MB, application/pdf")
        try bob.awaitRow("its number", containing: "/open 1, /save 1")
        for name in ["training plan.pdf", "training plan (1).pdf"] {
            bob.type("/save 1 \(place)\r")
            try bob.awaitRow("where it is", containing: "Saved as \(place)/\(name).")
            #expect(try Data(contentsOf: URL(filePath: "\(place)/\(name)")) == file.content)
        }
        bob.type("/save 1 \(place)/training plan.pdf\r")
        try bob.awaitRow("that nothing is overwritten", containing: "which stays as it is")
        bob.type("/open 1\r")
        try bob.awaitRow("what it is", containing: "as alice says", "nothing of it is run")
        bob.type("/open 2\r")
        try bob.awaitRow("that there is none", containing: "There is no file 2 here")
        alice.type("/file \(place)/nothing\r")
        try alice.awaitRow("that there is none", containing: "No such file")
        for (terminal, child) in [(alice, aliceChild), (bob, bobChild)] {
            terminal.type("/quit\r")
            #expect(child.waitUntilEnded() == 0)
        }
    }

    @Test("a file that waits for the door is shown in the bar with its reason, and goes when the door is back")
    func progress() throws {
        let file = try site.file(1_000_000, name: "late.bin")
        site.closeDoor()
        let (alice, child) = try chat(as: "alice/phone", with: "bob")
        try alice.awaitRow("a connection", containing: "Nothing was said yet")
        alice.type("/file \(file.path)\r")
        try alice.awaitRow("why it waits", containing: "↑ late.bin waits: the web door cannot be reached")
        alice.type("meanwhile\r")
        try alice.awaitRow("a later message", containing: "meanwhile ✓")
        try site.openDoor()
        try alice.awaitRow("the mark", containing: "[file] late.bin, 1.0 MB, application/octet-stream ✓")
        try eventually("a bar without it:\n\(alice.shown.text)") { () -> Void? in
            alice.shown.text.contains("↑") ? nil : ()
        }
        alice.type("/quit\r")
        #expect(child.waitUntilEnded() == 0)
    }

    @Test("a paused file goes nowhere, in the next chat neither, and then goes on, up and down")
    func pauses() throws {
        let file = try site.file(1_000_000, name: "slow.bin")
        let place = try place("paused")
        site.closeDoor()
        let (first, firstChild) = try chat(as: "alice/phone", with: "bob")
        try first.awaitRow("a connection", containing: "Nothing was said yet")
        first.type("/pause\r")
        try first.awaitRow("that there is none", containing: "There is no such file on its way.")
        first.type("/file \(file.path)\r")
        try first.awaitRow("why it waits", containing: "↑ slow.bin waits")
        first.type("/pause 1\r")
        try first.awaitRow("that it is paused", containing: "↑ slow.bin paused")
        first.type("/quit\r")
        #expect(firstChild.waitUntilEnded() == 0)
        try site.openDoor()
        let (alice, aliceChild) = try chat(as: "alice/phone", with: "bob")
        try alice.awaitRow("that it is paused still", containing: "↑ slow.bin paused")
        alice.type("meanwhile\r")
        try alice.awaitRow("a later message", containing: "meanwhile ✓")
        #expect(alice.shown.text.contains("↑ slow.bin paused") && site.storedBytes == 0)
        alice.type("/resume\r")
        try alice.awaitRow("the mark", containing: "[file] slow.bin, 1.0 MB, application/octet-stream ✓")
        let (bob, bobChild) = try chat(as: "bob/phone", with: "alice")
        try bob.awaitRow("its number", containing: "/open 1, /save 1")
        site.send(SIGSTOP)
        bob.type("/save 1 \(place)\r")
        try bob.awaitRow("that it comes", containing: "↓ slow.bin ░░░░░░░░░░ 0 %")
        bob.type("/pause\r")
        try bob.awaitRow("that it is paused", containing: "↓ slow.bin paused")
        site.send(SIGCONT)
        bob.type("/resume 1\r")
        try bob.awaitRow("where it is", containing: "Saved as \(place)/slow.bin.")
        #expect(try Data(contentsOf: URL(filePath: "\(place)/slow.bin")) == file.content)
        #expect(!bob.shown.text.contains("↓"))
        for (terminal, child) in [(alice, aliceChild), (bob, bobChild)] {
            terminal.type("/quit\r")
            #expect(child.waitUntilEnded() == 0)
        }
    }

    @Test("each kind of card is sent and has its look")
    func cards() throws {
        let (bob, child) = try chat(as: "bob/phone", with: "alice", columns: 200)
        try bob.awaitRow("a connection", containing: "Nothing was said yet")
        try send("--image", try write(Self.picture, "sunrise.png"), "At six")
        try bob.awaitRow("a picture", containing: "[image] sunrise.png, 70 bytes, image/png, 1×1, At six")
        try send("--file", try write(Data("<svg onload='x()'/>".utf8), "logo.svg"), "Ours")
        try bob.awaitRow("a file", containing: "[file] logo.svg, 19 bytes, image/svg+xml, Ours")
        try send("--voice", try write(Data(count: 4200), "note.ogg"), "--duration", "75.5")
        try bob.awaitRow("a voice message", containing: "[voice] 1:15, 4.2 kB, audio/ogg")
        for (kind, id) in [("diet", "d1"), ("workout", "w1")] {
            let shared = try couple.parley.run(
                "plan", "share", "--as", "alice/phone", "--to", "bob", kind, id, "--title", "Spring", "--days", "28")
            #expect(shared.status == 0, "\(shared.errors)")
            try bob.awaitRow("a plan", containing: "[\(kind) plan] Spring, 28 days, parley://plan/\(kind)/\(id)")
        }
        let made = try couple.parley.run(
            "challenge", "create", "--as", "alice/phone", "--to", "bob", "steps", "50000", "--days", "7", "--card",
            "Who walks more?")
        #expect(made.status == 0, "\(made.errors)")
        try bob.awaitRow("a challenge", containing: "[challenge] Who walks more?, 50000 steps in 7 days, parley://")
        bob.type("/open 2\r")
        try bob.awaitRow("that it is none", containing: "logo.svg", "but it is no picture")
        #expect(bob.shown.unknown.isEmpty && bob.shown.graphics.isEmpty && bob.shown.sixels.isEmpty)
        bob.type("/quit\r")
        #expect(child.waitUntilEnded() == 0)
    }

    @Test("a terminal that shows pictures is given its pixels, until a key is pressed; another is told what it is")
    func shown() throws {
        try send("--image", try write(Self.picture, "sunrise.png"))
        try send("--image", try write(Data([0xFF, 0xD8, 0xFF, 0xE0]), "lie.png"))
        let (bob, child) = try chat(as: "bob/phone", with: "alice", environment: ["TERM=xterm-kitty"])
        try bob.awaitRow("the picture", containing: "[image] sunrise.png")
        bob.type("/open 1\r")
        try bob.awaitRow("the way back", containing: "sunrise.png, 70 bytes, image/png, 1×1 · any key")
        let shown = try #require(bob.shown.graphics.first)
        #expect(shown.hasPrefix("a=T,f=100,q=2,C=1,m=0;iVBORw0KGgo"))
        bob.type("x")
        try bob.awaitRow("the chat", containing: "bob/phone with alice")
        #expect(bob.shown.graphics.last == "a=d,q=2")
        #expect(bob.shown.rows.last == "> ")
        bob.type("/open 2\r")
        try bob.awaitRow("what it is", containing: "lie.png, 4 bytes, image/jpeg. Only PNG is shown here.")
        #expect(bob.shown.graphics.count == 2 && bob.shown.unknown.isEmpty)
        bob.type("/quit\r")
        #expect(child.waitUntilEnded() == 0)
    }

    @Test("a terminal that lists attribute 4 is given sixels, as large as fits; what is typed meanwhile is kept")
    func sixels() throws {
        // Nine colors in a picture of twice the screen's width, each of which is one of the palette.
        let picture = PNGFile(width: 1600, height: 12, color: 2) { column, row in
            [column / 600 * 102, row / 4 * 51, 255]
        }
        try send("--image", try write(Data(picture.bytes()), "wide.png"))
        let damaged = PNGFile(width: 4000, height: 4000) { _, _ in [] }
        try send("--image", try write(Data(damaged.bytes(stream: PNGFile.stored([1, 2, 3]))), "cut.png"))
        let (bob, child) = try chat(
            as: "bob/phone", with: "alice", environment: ["TERM=xterm"], attributes: "62;4;22", cell: (5, 10))
        try bob.awaitRow("the pictures", containing: "[image] cut.png")
        #expect(bob.shown.questions == 0)
        bob.type("/open 1\rtyped")
        try bob.awaitRow("the way back", containing: "wide.png", "image/png, 1600×12 · any key")
        let shown = try #require(bob.shown.sixels.first.flatMap { SixelPicture($0) })
        #expect(shown.pixels.count == 6)
        for (row, pixels) in shown.pixels.enumerated() {
            for (column, pixel) in pixels.enumerated() {
                #expect(pixel == SixelPicture.Color(column / 300 * 40, row / 2 * 20, 100), "\(column), \(row)")
            }
        }
        #expect(shown.pixels.allSatisfy { $0.count == 800 })
        bob.type("x")
        try bob.awaitRow("the chat with what was typed", containing: "> typed")
        bob.type("\u{15}/open 2\r")
        try bob.awaitRow("that it is damaged", containing: "cut.png", "4000×4000. It is damaged, or too large")
        #expect(bob.shown.questions == 1 && bob.shown.sixels.count == 1)
        #expect(bob.shown.graphics.isEmpty && bob.shown.unknown.isEmpty)
        bob.type("/quit\r")
        #expect(child.waitUntilEnded() == 0)
    }

    @Test("a terminal without attribute 4, or that says nothing, is told what a picture is", arguments: ["62;22", nil])
    func withoutPictures(attributes: String?) throws {
        try send("--image", try write(Self.picture, "sunrise.png"))
        let (bob, child) = try chat(
            as: "bob/phone", with: "alice", environment: ["TERM=xterm"], attributes: attributes)
        try bob.awaitRow("the picture", containing: "[image] sunrise.png")
        bob.type("/open 1\rtyped")
        try bob.awaitRow("what it is", containing: "image/png, 1×1. This terminal shows no pictures.")
        try bob.awaitRow("what was typed", containing: "> typed")
        #expect(bob.shown.graphics.isEmpty && bob.shown.sixels.isEmpty && bob.shown.unknown.isEmpty)
        bob.type("\u{15}/quit\r")
        #expect(child.waitUntilEnded() == 0)
    }
}
