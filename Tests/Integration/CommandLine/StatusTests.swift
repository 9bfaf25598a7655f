import Foundation
import Launch
import ParleyProtocol
import TestSupport
import Testing

@Suite("parley: how the gateway is", .ownThreads, .oneMachine(.databaseFile))
final class StatusTests: ToolSuite {
    @Test("all is well: status 0, lines for people, one object for programs")
    func well() throws {
        try addUser("alice")
        try addUser("bob", device: false)
        // The broker tells its version, and who is connected, when the gateway subscribes or up to ten seconds later.
        let status = try eventually("the broker's own numbers") {
            let run = try parley.run("status", "--json")
            return run.json["connections"].int != nil && run.json["connected_users"].int != nil ? run : nil
        }
        #expect(status.status == 0, "\(status.output)")
        let said = status.json
        #expect(said["answers"] == true && said["wrong"] == [] && said["data"] == .string(gateway.directory))
        #expect(said["users"] == 2 && said["version"] == .string(parleyVersion) && said["writes_fail"] == false)
        #expect(said["broker"].text?.hasPrefix("mosquitto version 2.") == true)
        for name in ["database_bytes", "log_bytes", "push_bytes", "free_bytes"] {
            #expect(said[name].int ?? -1 >= 0, "\(name)")
        }
        // The operator's, the web door's, and alice's.
        #expect(said["devices"] == 3)
        let run = try parley.read("status")
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.output)")
        #expect(run.lines.first?.hasPrefix("gateway      \(parleyVersion), schema ") == true)
        #expect(run.lines.contains { $0.hasPrefix("token        operator/console until ") })
        #expect(run.lines.last == "wrong        nothing")
    }

    @Test("nobody but operators asks")
    func refused() throws {
        try addUser("alice")
        let run = try parley.run("request", "--as", "alice/phone", "admin/status")
        #expect(run.status != 0 && !run.output.contains("version"))
    }

    @Test("something is wrong: status 1, and a sentence with what to do")
    func wrong() throws {
        let certificate = gateway.directory + "/ended.pem"
        try Data(Self.endedCertificate.utf8).write(to: URL(filePath: certificate))
        try Data("frontend devices\n    bind :8883 ssl crt '\(certificate)'\n".utf8).write(
            to: URL(filePath: gateway.directory + "/haproxy.cfg"))
        let run = try parley.read("status")
        #expect(run.status == 1 && run.errors.isEmpty)
        #expect(run.lines.filter { $0.hasPrefix("wrong") }.count == 1)
        #expect(run.lines.last?.contains("the certificate in \(certificate) has ended") == true, "\(run.output)")
    }

    @Test("no gateway: status 3 at once, whether its broker runs, with what the files show")
    func down() throws {
        #expect(try parley.run("status").status == 0)
        gateway.endParleyd()
        let waiting = ContinuousClock.now
        let alone = try parley.run("status", "--json", "--timeout", "300")
        #expect(alone.status == 3 && waiting.duration(to: .now) < .seconds(200))
        #expect(alone.json["answers"] == false && alone.json["database_bytes"].int ?? 0 > 0)
        #expect(alone.json["wrong"][0].text?.contains("does not run; start it") == true)
        gateway.endBroker()
        let nothing = try parley.read("status")
        #expect(nothing.status == 3)
        #expect(nothing.lines.first == "gateway      does not answer, of \(gateway.directory)")
        let foreign = try ParleyTool(data: "/nonexistent")
        defer { foreign.removeScratch() }
        let absent = try foreign.read("status")
        #expect(absent.status == 3 && absent.output.contains("wrong        there is no gateway in /nonexistent"))
        #expect(try parley.run("status", "--frobnicate").status == 2)
    }

    /// Of 2020, made by openssl.
    private static let endedCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBHDCBxAIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBjaGF0LmV4YW1wbGUu
        b3JnMB4XDTIwMDEwMTAwMDAwMFoXDTIwMDIwMTAwMDAwMFowGzEZMBcGA1UEAwwQ
        Y2hhdC5leGFtcGxlLm9yZzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNc8s3Jw
        IBaP3XPnFBI7/MPhMEb90aRBqGh+RLvSHPmN2yTJEmzr+aoWEfa6VT3X9Z32qe4c
        1JIVPtq5vYU7HDYwCgYIKoZIzj0EAwIDRwAwRAIgNOopnGXmCVJtYSh+OjMURgAn
        OVDwWj8XATHFSxFA2ywCIESuBRKlxUiNor+BXW2x89mm9yNchQRUIrRlEdvPdPC1
        -----END CERTIFICATE-----
        """
}
