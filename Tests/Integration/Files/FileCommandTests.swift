import Foundation
import Launch
import TestSupport
import Testing

@Suite("Files by the tool", .ownThreads, .timeLimit(.minutes(20)))
struct FileCommandTests {
    private let couple: Couple
    private let site: FileSite

    init() throws {
        couple = try Couple(keysOf: ["alice/phone", "bob/phone"])
        site = try FileSite(couple.gateway)
        try site.standInDataDirectory()
    }

    private func send(_ path: String) -> [String] { ["send", "--as", "alice/phone", "--to", "bob", "--file", path] }

    /// Fetches a message's file as bob.
    private func fetched(_ listener: ParleyTool.Run, _ id: String?) throws -> Data {
        let line = try #require(try couple.lines(of: listener, count: 1).first { $0["id"].text == id })
        let conversation = try #require(line["conversation_id"].text)
        let output = "\(couple.gateway.directory)/fetched"
        let run = try couple.parley.run(
            "get-file", "--as", "bob/phone", conversation, try #require(id), "--output", output)
        try #require(run.status == 0, "\(run.errors)")
        #expect(run.output == output + "\n")
        let again = try couple.parley.run(
            "get-file", "--as", "bob/phone", conversation, String(try #require(id).prefix(8)), "--output", output)
        #expect(again.status != 0 && again.errors.contains("stays as it is"))
        return try Data(contentsOf: URL(filePath: output))
    }

    @Test("a file is sent by one command and fetched by another, equal to the byte")
    func both() throws {
        let listener = try couple.listen(as: "bob/phone", "--json")
        let file = try site.file(2_000_000, name: "sent.bin")
        let sent = try couple.parley.run(send(file.path))
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(try fetched(listener, sent.json["data"]["id"].text) == file.content)
    }

    @Test("a name of controls and turned writing is a plain one on the disk and in what is printed")
    func hostileName() throws {
        let listener = try couple.listen(as: "bob/phone", "--json")
        let file = try site.file(1000, name: "\u{1B}]0;t\u{7}\u{9B}31m\u{202E}fdp.exe\u{2028}\r\nparley: forged")
        let sent = try couple.parley.run(send(file.path))
        try #require(sent.status == 0, "\(sent.errors)")
        let line = try #require(try couple.lines(of: listener, count: 1).first)
        let place = "\(couple.gateway.directory)/named"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let arguments = [line["conversation_id"], line["id"]].compactMap(\.text)
        let run = try couple.parley.start(
            ["get-file", "--as", "bob/phone"] + arguments, script: "cd '\(place)' && exec \"$0\" --data \"$@\"")
        try #require(run.child.waitUntilEnded() == 0, "\(run.errors)")
        let name = "]0;t31mfdp.exeparley forged"
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [name])
        #expect(run.output == "./\(name)\n")
        #expect(try Data(contentsOf: URL(filePath: "\(place)/\(name)")) == file.content)
    }

    @Test("where the door is away it says so, gives up in time, and the next run of the command goes on")
    func awayDoor() throws {
        let listener = try couple.listen(as: "bob/phone", "--json")
        let file = try site.file(300_000, name: "late.bin")
        site.closeDoor()
        let first = try couple.parley.run(send(file.path) + ["--timeout", "2"])
        #expect(first.status == 3)
        #expect(first.errors.contains("waiting: the web door cannot be reached"), "\(first.errors)")
        #expect(first.errors.contains("nothing has moved for 2 seconds; the file is kept"), "\(first.errors)")
        try site.openDoor()
        let second = try couple.parley.run(send(file.path))
        #expect(second.status == 0 && second.errors.contains("goes on with what was begun before"), "\(second.errors)")
        #expect(second.errors.contains("100 % of"), "\(second.errors)")
        #expect(try fetched(listener, second.json["data"]["id"].text) == file.content)
    }

    @Test("killed in the middle of an upload, the second start goes on where the door has the last byte")
    func killed() throws {
        let listener = try couple.listen(as: "bob/phone", "--json")
        let file = try site.file(100_000_000, name: "large.bin")
        let first = try couple.parley.start(send(file.path))
        try eventually("a part of the file; it said: \(first.errors)") { () -> Void? in site.storedBytes > 0 ? () : nil
        }
        // The door stands still until the tool is gone.
        site.send(SIGSTOP)
        first.child.send(SIGKILL)
        first.child.waitUntilEnded()
        let stored = site.storedBytes
        try #require(stored < 100_000_000 && stored > 0)
        site.send(SIGCONT)
        let second = try couple.parley.run(send(file.path))
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.errors.contains("goes on with what was begun before"))
        #expect(try fetched(listener, second.json["data"]["id"].text) == file.content)
        #expect(try couple.lines(of: listener, count: 1).count == 1)
    }
}
