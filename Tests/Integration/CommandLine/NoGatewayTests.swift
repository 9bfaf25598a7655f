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
        for arguments in [["user", "list"], ["tail"], ["request", "--as", "alice/phone", "profile/get"]] {
            let run = try parley.start(arguments)
            #expect(run.child.waitUntilEnded() == 3)
            #expect(run.output.isEmpty)
            #expect(
                run.errors
                    == "parley: there is no gateway in /nonexistent; start one with: scripts/run.sh --data /nonexistent\n"
            )
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
        gateway.endParleyd()
        gateway.endBroker()

        let refused = try parley.run("user", "list")
        #expect(refused.status == 3)
        #expect(refused.errors.contains("is not running; start it with: scripts/run.sh"))

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

    @Test("wrong arguments end with status 2 and say which")
    func usage() throws {
        let parley = try ParleyTool(data: "/nonexistent")
        defer { parley.removeScratch() }
        for arguments in [["frobnicate"], ["user", "add", "a/b"], ["request", "profile/get"], ["tail", "a#"]] {
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
