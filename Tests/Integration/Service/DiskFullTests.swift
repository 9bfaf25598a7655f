import Launch
import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// Without room on the disk: writes are answered `unavailable`, reads go on, and all is well again when there is room.
@Suite("Disk full", .ownThreads, .oneMachine(.databaseFile))
struct DiskFullTests {
    /// Sends messages until one is answered `unavailable`, which is to come soon.
    private func sendUntilFull(_ alice: DeviceClient, _ conversation: String) throws -> (JSON, accepted: Int) {
        for accepted in 0..<20_000 {
            let content = base64([UInt8](repeating: 3, count: 30_000))
            let sent = message(conversation, ["encrypted_content": .string(content)])
            let reply = try alice.request("messages/send", sent)
            guard reply["ok"] == false else { continue }
            #expect(reply["error"]["code"] == "unavailable")
            return (sent, accepted)
        }
        throw NeverCameError("a full disk")
    }

    private func lastSeq(_ device: DeviceClient, _ conversation: String) throws -> JSON {
        try device.accepted("history/get", ["conversation_id": .string(conversation), "limit": 1])["last_seq"]
    }

    private func check(_ gateway: TestGateway, fill: () throws -> Void, makeRoom: () throws -> Void) throws {
        let (alice, bob, conversation) = try gateway.pair()
        try bob.listen(to: conversation, "messages")
        try fill()
        let (refused, accepted) = try sendUntilFull(alice, conversation)
        // Reads are answered, unless they share a transaction with a write of the gateway's own.
        let unknown: JSON = ["conversation_id": .string(conversation), "message_id": .string(newID())]
        _ = try eventually("a refusal that needs no room") {
            try alice.refusal("receipts/read", unknown) == "not_found" ? true : nil
        }
        #expect(try alice.refusal("messages/send", refused) == "unavailable")
        #expect(try lastSeq(alice, conversation) == .int(accepted))
        #expect(gateway.isParleydRunning)
        try makeRoom()
        #expect(try alice.accepted("messages/send", refused)["seq"] == .int(accepted + 1))
        #expect(try lastSeq(bob, conversation) == .int(accepted + 1))
        let heard = bob.events(on: "conversations/\(conversation)/messages").compactMap { $0["data"]["seq"].int }
        #expect(heard == Array(1...(accepted + 1)))
    }

    @Test("a file that may not grow")
    func fileSize() throws {
        let gateway = try TestGateway()
        let parleyd = try #require(gateway.parleyd)
        let scratch = gateway.directory + "/prlimit.out"
        try check(gateway) {
            try parleyd.limitFileSize(1 << 20, scratch: scratch)
        } makeRoom: {
            try parleyd.limitFileSize(nil, scratch: scratch)
        }
        #expect(gateway.log.contains("could not be committed"))
        #expect(gateway.log.contains("can be written again"))
    }

    @Test("the gateway ends well although the disk is full")
    func ending() throws {
        let gateway = try TestGateway()
        let parleyd = try #require(gateway.parleyd)
        let (alice, _, conversation) = try gateway.pair()
        try parleyd.limitFileSize(1 << 20, scratch: gateway.directory + "/prlimit.out")
        let (refused, accepted) = try sendUntilFull(alice, conversation)
        try parleyd.limitFileSize(1, scratch: gateway.directory + "/prlimit.out")
        #expect(gateway.endParleyd() == 0)
        try gateway.startParleyd()
        #expect(try alice.accepted("messages/send", refused)["seq"] == .int(accepted + 1))
    }

    @Test("a small file system", .enabled(if: SmallFileSystem.isPossible, "needs the right to mount"))
    func fileSystem() throws {
        let disk = try SmallFileSystem(megabytes: 16)
        try check(try TestGateway(directory: disk.path + "/data")) {
            try disk.fill()
        } makeRoom: {
            try disk.makeRoom()
        }
    }
}

/// A file system in memory with little room, which goes with the value.
final class SmallFileSystem {
    let path: String
    private var ballast: String { path + "/ballast" }

    static let isPossible: Bool = (try? SmallFileSystem(megabytes: 1)) != nil

    init(megabytes: Int) throws {
        path = "\(NSTemporaryDirectory())/parley-disk-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "tmpfs", path])
    }

    deinit {
        try? run("umount", ["-l", path])
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Takes what room there is.
    func fill() throws {
        try Data().write(to: URL(filePath: ballast))
        let handle = try FileHandle(forWritingTo: URL(filePath: ballast))
        defer { try? handle.close() }
        let block = Data(count: 64 << 10)
        while (try? handle.write(contentsOf: block)) != nil {}
    }

    /// Removing would not do: a program that another test starts at this moment has the file open too.
    func makeRoom() throws { try Data().write(to: URL(filePath: ballast)) }

    private func run(_ program: String, _ arguments: [String]) throws {
        let child = try ChildProcess(
            "/usr/bin/\(program)", arguments, directory: "/", output: "/dev/null", errors: "/dev/null")
        let status = child.waitUntilEnded()
        guard status == 0 else { throw SpawnError(path: program, errno: status) }
    }
}
