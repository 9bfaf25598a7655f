import Launch
import Glibc
import TestSupport
import Testing

@Suite("parley: what was sent before a device was linked", .ownThreads)
struct EarlierMessagesTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }

    /// Alice has written once to Bob's one device, twice to it from one of Alice's two, once while Bob's laptop was
    /// there and not linked, and once since it is.
    init() throws {
        couple = try Couple()
        for device in ["alice/phone", "bob/phone"] { try couple.makeKeys(of: device) }
        try couple.send("one")
        try couple.link("alice/tablet", by: "alice/phone")
        try couple.send("two")
        try couple.send("three")
        try couple.addDevice("laptop", of: "bob")
        try couple.makeKeys(of: "bob/laptop")
        try couple.send("four")
        try couple.link("bob/laptop", by: "bob/phone")
        try couple.send("five")
    }

    private static let three =
        "(3 earlier messages were sent before this device had keys; only devices that had theirs then can open them)"
    private static let leftOut = "alice/phone: (cannot be opened: the sender has not accepted this device's keys)"

    private func listen(_ arguments: String..., count: Int) throws -> [String] {
        let form = arguments.contains("--json") ? [] : ["--text"]
        let run = try parley.start(["listen", "--as", "bob/laptop", "--history", "10"] + form + arguments)
        let lines = try eventually("\(count) lines; there are: \(run.output)") { () -> [String]? in
            let lines = run.output.split(separator: "\n").map(String.init)
            return lines.count >= count && run.output.hasSuffix("\n") ? lines : nil
        }
        run.child.send(SIGTERM)
        #expect(run.child.waitUntilEnded() == 0)
        return lines
    }

    @Test("history has one line for it, and says of the one that left the device out what it is")
    func listening() throws {
        let lines = try listen(count: 3)
        #expect(lines.count == 3)
        // The time and the conversation stand before.
        #expect(lines[0].hasSuffix(" " + Self.three) && lines[0].hasPrefix("20"))
        #expect(lines[1].hasSuffix(" " + Self.leftOut))
        #expect(lines[2].hasSuffix(" alice/phone: five"))
    }

    @Test("for programs each has its error")
    func json() throws {
        let objects = try listen("--json", count: 5).map { try JSON(parsing: $0.utf8) }
        #expect(objects.map { $0["seq"] } == [1, 2, 3, 4, 5])
        #expect(
            objects.map { $0["error"]["code"] } == [
                "not_authentic", "not_for_this_device", "not_for_this_device", "left_out", .null,
            ])
    }

    @Test("a device that has rotated its keys does not know when it was linked: what names no device is said as it is")
    func rotated() throws {
        #expect(try parley.run("rotate-keys", "--as", "bob/laptop").status == 0)
        let lines = try listen(count: 4)
        #expect(lines[0].hasSuffix(" (cannot be opened: not what its sender sealed, or sealed for keys that are gone)"))
        #expect(lines[1].hasSuffix(" (2 earlier messages \(Self.three.dropFirst("(3 earlier messages ".count))"))
        #expect(lines[3].hasSuffix(" five"))
    }

    @Test("a chat has one line for it, in a terminal; in a pipe it is about what comes")
    func chats() throws {
        let terminal = try PseudoTerminal(columns: 120)
        let child = try terminal.start(
            Programs.path("parley"),
            ["chat", "--data", couple.gateway.directory, "--as", "bob/laptop", "--with", "alice"],
            directory: couple.gateway.directory)
        try terminal.awaitRow("what was said last", containing: "alice", "five")
        let rows = terminal.shown.rows
        #expect(rows.filter { $0.contains("earlier message") } == ["  \(Self.three.dropFirst().dropLast())"])
        #expect(rows.filter { $0.contains("cannot be opened") }.count == 1)
        terminal.type("\u{4}")
        #expect(child.waitUntilEnded() == 0)

        let piped = try parley.run("chat", "--as", "bob/laptop", "--with", "alice", input: "six\n")
        #expect(piped.status == 0, "\(piped.errors)")
        #expect(piped.lines.count == 1 && piped.output.hasSuffix(" bob: six\n"))
    }
}
