import Foundation
import Launch
import TestSupport
import Testing

/// An operator at the gateway, and people with directories of their own.
@Suite("parley device export, and login by its file", .ownThreads)
struct ExportTests {
    private let gateway: TestGateway
    private let manager: ParleyTool
    private let place = TemporaryDirectory.unmade()
    private let files: TemporaryDirectory
    private let person: ParleyTool

    init() throws {
        gateway = try TestGateway(settings: TestGateway.roomy)
        manager = try ParleyTool(on: gateway)
        person = try ParleyTool(data: place.path + "/share/parley")
        files = try TemporaryDirectory()
        for user in ["alice", "bob"] {
            try #require(try manager.run("user", "add", user, "--message-privacy", "anyone").status == 0)
        }
        try #require(try manager.run("device", "add", "bob", "phone").status == 0)
        try #require(try manager.run("devices", "--as", "bob/phone").status == 0)
    }

    @Test("a device that is exported signs in elsewhere by one file, and writes, reads and signs out there")
    func elsewhere() throws {
        let file = "\(files.path)/alice.parley"
        let exported = try manager.run("device", "export", "alice", "phone", "--output", file)
        #expect(exported.status == 0 && exported.lines == [file], "\(exported.errors)")
        #expect(!exported.errors.contains("eyJ"), "a token was printed")
        #expect(try files.permissions("alice.parley") == 0o600)
        #expect(manager.hasNoCredentials(of: "alice/phone"))

        let again = try manager.run("device", "export", "alice", "phone", "--output", file)
        #expect(again.status == 3 && again.errors.contains("alice.parley"), "\(again.errors)")

        let login = try person.run("login", file)
        #expect(login.status == 0 && login.lines == ["signed in as alice/phone"], "\(login.errors)")
        #expect(login.errors.contains("remove it"))
        #expect(try place.permissions("share/parley") == 0o700)
        let sent = try person.run("send", "--as", "alice/phone", "--to", "bob", "Hello")
        #expect(sent.status == 0, "\(sent.errors)")
        // Another gateway's file does not take this one's device over.
        let foreign = String(decoding: try files.bytes("alice.parley"), as: UTF8.self)
            .replacing("\(gateway.mqttPort)", with: "1")
        try files.write(foreign, to: "foreign")
        try files.setPermissions(0o600, of: "foreign")
        let taken = try person.run("login", "\(files.path)/foreign")
        #expect(taken.status == 3 && taken.errors.contains("of another gateway"), "\(taken.errors)")
        let known = try person.read("whoami")
        #expect(known.lines.contains("device: alice/phone"), "\(known.errors)")
        #expect(known.lines.contains("broker: mqtt://127.0.0.1:\(gateway.mqttPort)"))
        #expect(try person.run("logout").status == 0)
        let ended = try person.read("whoami", "--as", "alice/phone")
        #expect(ended.status == 3 && ended.errors.contains("parley device export alice phone"), "\(ended.errors)")
    }

    @Test("somebody new is added with the device where that is asked for, and somebody known stays as they are")
    func addsTheUser() throws {
        let unknown = try manager.run("device", "export", "carol", "phone", "--output", "\(files.path)/unknown")
        #expect(unknown.status == 1, "\(unknown.errors)")
        for user in ["carol", "bob"] {
            let file = "\(files.path)/\(user).parley"
            let exported = try manager.run("device", "export", user, "tablet", "--add-user", "--output", file)
            #expect(exported.status == 0, "\(exported.errors)")
        }
        #expect(try person.run("login", "\(files.path)/carol.parley").status == 0)
        let sent = try person.run("send", "--as", "carol/tablet", "--to", "bob", "I am new here")
        #expect(sent.status == 0, "\(sent.errors)")
    }

    @Test("what is no such file, or can be read by others, signs nobody in and leaves nothing")
    func refused() throws {
        let file = "\(files.path)/alice.parley"
        try #require(try manager.run("device", "export", "alice", "phone", "--output", file).status == 0)
        let whole = String(decoding: try files.bytes("alice.parley"), as: UTF8.self)
        for (text, name) in [
            ("", "empty"), ("{}\n", "object"), (String(whole.dropLast(20)), "truncated"),
            (whole.replacing("alice/phone", with: "bob/phone"), "other"),
            (whole.replacing("\"mqtt\"", with: "\"ssh\""), "scheme"),
        ] {
            try files.write(text, to: name)
            try files.setPermissions(0o600, of: name)
            let run = try person.run("login", "\(files.path)/\(name)")
            #expect(run.status == 3, "\(name): \(run.errors)")
            #expect(run.errors.contains("was not made by: parley device export"), "\(name): \(run.errors)")
        }
        try files.setPermissions(0o644, of: "alice.parley")
        let open = try person.run("login", file)
        #expect(open.status == 3 && open.errors.contains("chmod 600"), "\(open.errors)")
        #expect(try person.run("login", "\(files.path)/missing").errors.contains("missing"))
        #expect(person.hasNoCredentials(of: "alice/phone"))
    }
}
