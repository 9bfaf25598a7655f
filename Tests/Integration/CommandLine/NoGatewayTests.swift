import Launch
import Foundation
import TestSupport
import Testing

@Suite("parley: no gateway to speak to", .ownThreads)
struct NoGatewayTests {
    @Test("a directory without a gateway says how to start one")
    func noGateway() throws {
        let parley = try ParleyTool(data: "/nonexistent")
        defer { parley.removeScratch() }
        for arguments in [
            ["user", "list"], ["tail"], ["request", "--as", "alice/phone", "profile/get"],
            ["send", "--as", "alice/phone", "--to", "bob", "Hello"], ["listen", "--as", "alice/phone"],
        ] {
            let run = try parley.start(arguments)
            #expect(run.child.waitUntilEnded() == 3)
            #expect(run.output.isEmpty)
            #expect(
                run.errors
                    == "parley: there is no gateway in /nonexistent; start one with: scripts/run.sh --data /nonexistent; "
                    + "another directory is named by --data or PARLEY_DATA\n")
        }
    }

    @Test("a gateway that does not run is not waited for; one without parleyd is, but not for ever")
    func notRunning() throws {
        let gateway = try TestGateway(start: false)
        let parley = try ParleyTool(on: gateway)
        defer { parley.removeScratch() }
        // The gateway makes its operator's credentials when it runs.
        try gateway.startBroker()
        try gateway.startParleyd()
        #expect(try parley.run("user", "add", "alice").status == 0)
        #expect(try parley.run("device", "add", "alice", "phone").status == 0)
        gateway.endParleyd()
        gateway.endBroker()

        let refused = try parley.run("user", "list")
        #expect(refused.status == 3)
        #expect(refused.errors.contains("is not running; start it with: scripts/run.sh"))
        try expectSentences(gateway, parley)

        try gateway.startBroker()
        let unanswered = try parley.run("user", "list", "--timeout", "1")
        #expect(unanswered.status == 3)
        #expect(unanswered.output.isEmpty)
        #expect(unanswered.errors.contains("parleyd"))

        let patient = try parley.start(["user", "list", "--json", "--timeout", "60"])
        try gateway.startParleyd()
        #expect(patient.child.waitUntilEnded() == 0, "\(patient.errors)")
        #expect(try JSON(parsing: patient.output.utf8)["user_id"] == "alice")
    }

    /// Of addresses that the data directory may name. Port 1 (tcpmux) is listened on by nobody.
    private func expectSentences(_ gateway: TestGateway, _ parley: ParleyTool) throws {
        let path = "\(gateway.directory)/endpoint.json"
        let own = try String(contentsOfFile: path, encoding: .utf8)
        defer { try? own.write(toFile: path, atomically: true, encoding: .utf8) }
        for (endpoint, sentence) in [
            (#"{"host":"no-such-host.invalid","mqtt_port":1}"#, "the host no-such-host.invalid that"),
            (#"{"host":"no-such-host.invalid","mqtt_port":1,"scheme":"mqtts"}"#, "is not known on this machine"),
            (#"{"host":"127.0.0.1","mqtt_port":1,"scheme":"mqtts"}"#, "is not running; start it with: scripts/run.sh"),
        ] {
            try endpoint.write(toFile: path, atomically: true, encoding: .utf8)
            let run = try parley.run("devices", "--as", "alice/phone")
            #expect(run.status == 3 && run.errors.contains(sentence), "\(endpoint): \(run.errors)")
        }
    }

    @Test("wrong arguments end with status 2 and say which")
    func usage() throws {
        let parley = try ParleyTool(data: "/nonexistent")
        defer { parley.removeScratch() }
        for arguments in [["frobnicate"], ["user", "add", "a/b"], ["request"], ["tail", "a#"]] {
            let run = try parley.start(arguments)
            #expect(run.child.waitUntilEnded() == 2)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("Usage: parley"))
        }
    }

    @Test("help and version are results")
    func help() throws {
        let parley = try ParleyTool(data: "/nonexistent")
        defer { parley.removeScratch() }
        for arguments in [["--help"], ["--version"], ["device", "add", "--help"]] {
            let run = try parley.start(arguments)
            #expect(run.child.waitUntilEnded() == 0)
            #expect(!run.output.isEmpty)
            #expect(run.errors.isEmpty)
        }
    }
}
