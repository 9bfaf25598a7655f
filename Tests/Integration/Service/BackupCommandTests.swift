import Foundation
import Launch
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyStore

/// What `parleyd backup --into` keeps and removes, and what it leaves behind where it fails.
@Suite("Backups by a timer", .ownThreads, .oneMachine(.databaseFile))
struct BackupCommandTests {
    private static func names(_ gateway: TestGateway) throws -> Set<String> {
        let place = gateway.directory + "/backups"
        return Set(try FileManager.default.contentsOfDirectory(atPath: place).filter { !$0.hasPrefix(".") })
    }

    private static func backUp(
        _ gateway: TestGateway, _ arguments: String..., limit: Int? = nil
    ) throws -> (status: Int32, output: String, errors: String) {
        let words = ["backup", "--data", gateway.directory, "--into", gateway.directory + "/backups"] + arguments
        guard let limit else { return try gateway.run(words) }
        return try ServiceFiles("limited", in: gateway.directory).run(
            "/bin/bash", ["-c", "ulimit -f \(limit); exec \"$0\" \"$@\"", try Programs.path("parleyd")] + words)
    }

    private static func plant(_ names: [String], in gateway: TestGateway, _ text: String = "old") throws {
        let place = gateway.directory + "/backups"
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in names { try Data(text.utf8).write(to: URL(filePath: "\(place)/\(name)")) }
    }

    @Test("while it runs one is made, checked and private; older ones of its own go, and nothing else does")
    func retention() throws {
        let gateway = try TestGateway()
        let (alice, _, conversation) = try gateway.pair()
        _ = try alice.accepted("messages/send", message(conversation))
        let old = (1...4).map { "parley-2020010\($0)T000000Z.backup" }
        let others = ["notes.txt", "parley-20200101T000000Z.backup.old", "parley.db"]
        try Self.plant(old + old.map { $0 + ".b2" } + others, in: gateway)
        // Larger than what is removed at once; one is kept under another name by somebody else.
        let large = String(repeating: "x", count: 5 << 20)
        try Self.plant([old[0], old[1]], in: gateway, large)
        let place = gateway.directory + "/backups"
        let kept = gateway.directory + "/kept"
        try FileManager.default.linkItem(atPath: "\(place)/\(old[0])", toPath: kept)
        let link = "parley-20200105T000000Z.backup"
        try FileManager.default.createSymbolicLink(
            atPath: "\(place)/\(link)", withDestinationPath: gateway.directory + "/parleyd.json")
        // What a killed process leaves behind.
        try Self.plant(
            [
                "parley-20200106T000000Z.backup.abc.part", "parley-20200106T000000Z.backup.abc.part-journal",
                "parley-20200107T000000Z.backup.old.part",
            ], in: gateway)
        let made = try Self.backUp(gateway, "--keep", "3")
        #expect(made.status == 0, "\(made.errors)")
        let left = try Self.names(gateway)
        let new = try #require(left.compactMap(BackupName.init).max { $0.at < $1.at }).description
        #expect(
            left == Set([new, new + ".b2", old[3], old[3] + ".b2", old[2], old[2] + ".b2", link] + others),
            "\(left.sorted())")
        #expect(made.output.contains("/backups/\(old[0])\n"))
        #expect(try Data(contentsOf: URL(filePath: kept)).count == large.utf8.count)
        for name in [new, new + ".b2"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(place)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let digest = try ServiceFiles("digest", in: gateway.directory).run(
            "/bin/bash", ["-c", "cd '\(place)' && b2sum --check \(new).b2"])
        #expect(digest.status == 0, "\(digest.errors)")
        gateway.endParleyd()
        let restored = try gateway.run(["restore", "--data", gateway.directory, "\(place)/\(new)"])
        #expect(restored.status == 0, "\(restored.errors)")
    }

    @Test("a file that may not grow in the middle: one sentence, nothing left behind, older ones untouched")
    func full() throws {
        let gateway = try TestGateway()
        let old = (1...3).map { "parley-2020010\($0)T000000Z.backup" }
        try Self.plant(old, in: gateway)
        // In KiB: less than the schema takes.
        let failed = try Self.backUp(gateway, "--keep", "1", limit: 200)
        #expect(failed.status == 1)
        #expect(failed.errors.contains("there is no room for the backup"), "\(failed.errors)")
        #expect(failed.errors.split(separator: "\n").count == 1)
        #expect(try Self.names(gateway) == Set(old))
    }

    @Test("a small file system", .enabled(if: SmallFileSystem.isPossible, "needs the right to mount"))
    func fileSystem() throws {
        let gateway = try TestGateway()
        let disk = try SmallFileSystem(megabytes: 1)
        let old = "parley-20200101T000000Z.backup"
        try Data("old".utf8).write(to: URL(filePath: "\(disk.path)/\(old)"))
        try disk.fill()
        let words = ["backup", "--data", gateway.directory, "--into", disk.path, "--keep", "1"]
        let failed = try gateway.run(words)
        #expect(failed.status == 1 && failed.errors.contains("there is no room for the backup"), "\(failed.errors)")
        let left = try FileManager.default.contentsOfDirectory(atPath: disk.path)
        #expect(left.filter { !$0.hasPrefix(".") }.sorted() == ["ballast", old])
    }

    @Test("what was cut off, changed or is of another program is not put back")
    func damaged() throws {
        let gateway = try TestGateway()
        let made = try Self.backUp(gateway)
        #expect(made.status == 0, "\(made.errors)")
        gateway.endParleyd()
        let place = gateway.directory + "/backups"
        let name = try #require(try Self.names(gateway).first { BackupName($0) != nil })
        let bytes = Array(try Data(contentsOf: URL(filePath: "\(place)/\(name)")))
        var changed = bytes
        changed[bytes.count / 2] ^= 1
        let before = try FileManager.default.contentsOfDirectory(atPath: gateway.directory).sorted()
        for (text, hasDigest, words) in [
            (Array(bytes.prefix(bytes.count / 2)), true, "not a usable database"),
            (Array(bytes.prefix(bytes.count / 2)), false, "not a usable database"),
            (changed, true, "is not what was backed up"), (Array(bytes.prefix(100)), false, "not a usable database"),
            ([], false, "nothing is in it"), (Array("SQLite format 3".utf8), false, "not a usable database"),
        ] {
            let file = gateway.directory + "/backups/" + (hasDigest ? name : "copy")
            try Data(text).write(to: URL(filePath: file))
            let refused = try gateway.run(["restore", "--data", gateway.directory, file])
            #expect(refused.status == 1 && refused.errors.contains(words), "\(refused.errors)")
            #expect(refused.errors.split(separator: "\n").count == 1)
        }
        let directory = try gateway.run(["restore", "--data", gateway.directory, place])
        #expect(directory.status == 1 && directory.errors.split(separator: "\n").count == 1, "\(directory.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: gateway.directory).sorted() == before)
    }

    @Test("wrong options say which")
    func options() throws {
        let gateway = try TestGateway(start: false)
        for words in [[], ["--keep", "0", "--into", "x"], ["--keep", "2", "f"], ["--into", "x", "f"]] {
            let run = try gateway.run(["backup", "--data", gateway.directory] + words)
            #expect(run.status == 64 && run.errors.contains("Usage: parleyd backup"), "\(run.errors)")
        }
        let nothing = try Self.backUp(gateway)
        #expect(nothing.status == 1 && nothing.errors.contains("there is no database"), "\(nothing.errors)")
    }
}
