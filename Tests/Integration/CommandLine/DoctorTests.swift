import Foundation
import Launch
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyStore

@Suite("parley: what is wrong with a gateway", .ownThreads, .oneMachine(.databaseFile))
final class DoctorTests: ToolSuite {
    /// The path as the gateway writes it.
    private var root: String { URL(filePath: gateway.directory).standardizedFileURL.path }

    /// What it says: the state and the sentence of each line, by `state: name`.
    private func lines(_ arguments: String...) throws -> (status: Int32, wrong: [String], output: String) {
        let run = try parley.read(["doctor"] + arguments)
        #expect(run.errors.isEmpty, "\(run.errors)")
        return (run.status, run.lines.filter { $0.hasPrefix("wrong") }, run.output)
    }

    @Test("where all is well it says so and changes nothing, up and down")
    func well() throws {
        for arguments in [[], ["--thorough"]] {
            let run = try parley.read(["doctor"] + arguments)
            #expect(run.status == 0, "\(run.output)")
            for name in [
                "settings", "files", "keys", "credentials", "disk", "database", "clock", "gateway", "broker",
                "devices' door",
            ] {
                #expect(run.lines.contains { $0.hasPrefix("ok       \(name): ") }, "\(name): \(run.output)")
            }
        }
        let json = try parley.run("doctor").json
        #expect(json["is_well"] == true && json["checks"][0]["state"].text != nil)
        gateway.endParleyd()
        gateway.endBroker()
        let before = try snapshot()
        let down = try lines()
        #expect(down.status == 1 && down.wrong.count == 3, "\(down.output)")
        #expect(try snapshot() == before)
    }

    /// The names and bytes of what is in the directory, without the logs of the tests.
    private func snapshot() throws -> [String: Data] {
        var files: [String: Data] = [:]
        let places = try #require(FileManager.default.enumerator(atPath: gateway.directory))
        for case let name as String in places where !name.contains(".out") && !name.contains(".err") {
            files[name] = FileManager.default.contents(atPath: "\(gateway.directory)/\(name)") ?? Data()
        }
        return files
    }

    /// Does something to a file for as long as `body` runs.
    private func changing(_ name: String, _ change: (String) throws -> Void, _ body: () throws -> Void) throws {
        let path = "\(gateway.directory)/\(name)"
        let aside = path + ".aside"
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        defer {
            try? FileManager.default.removeItem(atPath: path)
            try? FileManager.default.moveItem(atPath: aside, toPath: path)
        }
        try change(path)
        try body()
    }

    private static func write(_ text: String) -> (String) throws -> Void {
        { path in
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }

    private static func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    @Test("each fault of a file is a sentence that names it")
    func files() throws {
        let faults: [(String, (String) throws -> Void, String)] = [
            ("parleyd.json", Self.write("{"), "wrong    settings: "),
            ("parleyd.json", Self.write(#"{"group_members":"ten"}"#), "group_members"),
            ("parleyd.json", Self.write(#"{"frobnicate":1}"#), "frobnicate"),
            ("parleyd.json", Self.makeDirectory, "parleyd.json is a directory"),
            ("parleyd.json", { _ in }, "there is no "),
            ("mosquitto.conf", Self.write("listener 1883"), "wrong    broker's configuration: "),
            ("mosquitto.conf", Self.makeDirectory, "mosquitto.conf is a directory"),
            ("keys/signing.key", Self.write("short"), "wrong    keys: "),
            ("keys/signing.pub", Self.write(String(repeating: "x", count: 32)), "is not of the signing key beside it"),
            ("keys/signing.key", Self.makeDirectory, "signing.key is a directory"),
            ("endpoint.json", Self.write("{}"), "endpoint.json does not say where devices connect"),
            ("endpoint.json", Self.write("\u{0}"), "endpoint.json does not say where devices connect"),
            (
                "endpoint.json", Self.write(#"{"host":"127.0.0.1","mqtt_port":1}"#),
                "127.0.0.1:1 does not answer"
            ),
            (
                "endpoint.json", Self.write(#"{"host":"no-such-host.invalid","mqtt_port":1}"#),
                "the name no-such-host.invalid is not known"
            ),
            ("devices/operator/console/credentials.json", Self.write("[1]"), "holds no credentials"),
            ("devices/operator/console/credentials.json", Self.makeDirectory, "credentials.json: "),
        ]
        for (name, change, sentence) in faults {
            try changing(name, change) {
                let said = try lines()
                #expect(said.status == 1 && said.wrong.contains { $0.contains(sentence) }, "\(name): \(said.output)")
            }
        }
        #expect(try lines().status == 0)
    }

    @Test("what is open to others, or of another user, is named with the command that mends it")
    func rights() throws {
        let key = root + "/keys/signing.key"
        for (path, mode, mended) in [(key, 0o644, 0o600), (root, 0o755, 0o700)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let said = try lines()
            #expect(
                said.status == 1 && said.wrong.contains { $0.contains("chmod \(String(mended, radix: 8)) \(path)") },
                "\(said.output)")
            try FileManager.default.setAttributes([.posixPermissions: mended], ofItemAtPath: path)
        }
    }

    @Test("a damaged database is named, and garbage in its place traps nothing")
    func database() throws {
        let (alice, _, conversation) = try gateway.pair()
        for _ in 0..<50 { _ = try alice.accepted("messages/send", message(conversation)) }
        gateway.endParleyd()
        let bytes = Array(try Data(contentsOf: URL(filePath: gateway.database)))
        func expect(_ content: [UInt8], _ sentence: String) throws {
            try Data(content).write(to: URL(filePath: gateway.database))
            let said = try lines()
            #expect(said.status == 1 && said.wrong.contains { $0.contains(sentence) }, "\(said.output)")
        }
        try expect(Array(bytes.prefix(bytes.count / 2)), "wrong    database: ")
        try expect(Array(bytes.prefix(512)), "wrong    database: ")
        try expect(Array("SQLite format 3\0".utf8), "wrong    database: ")
        try expect([], "wrong    database: ")
        var generator = SystemRandomNumberGenerator()
        try expect((0..<65_536).map { _ in UInt8.random(in: 0...255, using: &generator) }, "wrong    database: ")
        for page in 1..<min(12, bytes.count / 4096) {
            var changed = bytes
            for index in page * 4096..<(page * 4096 + 64) { changed[index] = UInt8.random(in: 0...255) }
            try Data(changed).write(to: URL(filePath: gateway.database))
            _ = try lines("--thorough")
        }
        let foreign = gateway.directory + "/foreign.db"
        let later = Migration(name: "999", sql: "CREATE TABLE later (x INTEGER) STRICT")
        try Store(path: foreign, migrations: Migrations(Migrations.steps + [later])).close()
        try expect(Array(try Data(contentsOf: URL(filePath: foreign))), "newer version of Parley")
        try FileManager.default.removeItem(atPath: gateway.database)
        try Self.makeDirectory(gateway.database)
        let said = try lines()
        #expect(said.wrong.contains { $0.contains("parley.db is no file") }, "\(said.output)")
    }

    @Test("a clock that is behind the database, and an old backup, are named")
    func times() throws {
        gateway.endParleyd()
        let later = Timestamp.now.advanced(by: .days(2)).milliseconds
        try gateway.changeDatabase("UPDATE clock SET stepped_at = \(later)")
        let place = root + "/backups"
        try Self.makeDirectory(place)
        try Self.write("x")("\(place)/parley-20200101T000000Z.backup")
        let said = try lines()
        #expect(said.wrong.contains { $0.contains("set the machine's time right") }, "\(said.output)")
        #expect(said.wrong.contains { $0.contains("wrong    backups: the newest in \(place) is ") }, "\(said.output)")
    }

    @Test("a broker without the plugin, one that waits for parleyd, and none are told apart")
    func broker() throws {
        gateway.endParleyd()
        gateway.endBroker()
        try gateway.startBroker()
        #expect(try lines().wrong.contains { $0.contains("waits for parleyd: start parleyd") })
        gateway.endBroker()
        #expect(try lines().wrong.contains { $0.contains("broker: ") && $0.contains("start the broker") })
        let path = gateway.directory + "/bare.conf"
        let socket = gateway.directory + "/run/broker.sock"
        let configuration = "listener 0 \(socket)\nallow_anonymous true\nuser \(NSUserName())\n"
        try Data(configuration.utf8).write(to: URL(filePath: path))
        let bare = try ServiceFiles("bare", in: gateway.directory).launch(Programs.mosquitto, ["-c", path])
        defer { bare.end(with: SIGKILL) }
        _ = try eventually("a broker without the plugin") {
            try lines().wrong.contains { $0.contains("runs without the plugin") } ? true : nil
        }
    }
}
