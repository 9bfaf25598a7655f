import Launch
import Foundation
import ParleyClient
import ParleyMosquitto
import ParleyProtocol
import TestSupport
import Testing

@Suite("parley: users, devices and requests", .ownThreads)
final class AdministrationTests: ToolSuite {
    @Test("users are added once, and listed for people and for programs")
    func users() throws {
        let added = try parley.run("user", "add", "alice", "--name", "Alice Ärmel")
        #expect(added.status == 0)
        #expect(added.json["display_name"] == "Alice Ärmel")
        #expect(try parley.run("user", "add", "alice", "--name", "Alice Ärmel").output == added.output)
        let other = try parley.run("user", "add", "alice", "--name", "Somebody")
        #expect(other.status == 1)
        #expect(other.output.isEmpty)
        #expect(other.errors.contains("conflict"))
        #expect(try parley.run("user", "add", "bob").status == 0)
        #expect(try parley.run("device", "add", "bob", "tv").status == 0)

        let listed = try parley.run("user", "list", "--json")
        let users = try listed.lines.map { try JSON(parsing: $0.utf8) }
        #expect(users.map { $0["user_id"] } == ["alice", "bob"])
        #expect(users.last?["devices"] == ["tv"])
        let table = try parley.read("user", "list").lines
        #expect(table.first?.hasPrefix("USER") == true)
        #expect(table.dropFirst().map { $0.split(separator: " ").first } == ["alice", "bob"])
    }

    @Test("a list of more users than a page holds is whole")
    func pages() async throws {
        let console = try gateway.operatorCredentials().address
        let directory = DeviceDirectory(of: console, in: gateway.directory)
        let address = GatewayAddress.tcp(host: "127.0.0.1", port: gateway.mqttPort)
        let add = try operation("admin", "add-user")
        let names = (1...210).map { String(format: "u%03d", $0) }
        try await DeviceConnection.open(
            DeviceConfiguration(gateway: address, device: console) { try directory.readCredentials() }
        ) { connection in
            try await withThrowingTaskGroup { group in
                for name in names {
                    group.addTask {
                        let payload = Array(#"{"user_id":"\#(name)"}"#.utf8)
                        let reply = try await connection.request(add, payload: payload, timeout: patience)
                        #expect(reply.isAccepted)
                    }
                }
                try await group.waitForAll()
            }
        }
        let users = try parley.run("user", "list", "--json").lines.map { try JSON(parsing: $0.utf8)["user_id"].text }
        #expect(users == names)
    }

    @Test(
        "a device's credentials are kept for its owner alone, printed when asked for, and sign it in until it is revoked"
    )
    func devices() throws {
        _ = try parley.run("user", "add", "alice")
        let added = try parley.run("device", "add", "alice", "phone", "--ttl", "10", "--name", "Ann's phone")
        #expect(added.status == 0)
        #expect(added.lines.count == 1)
        #expect(added.json.keys == ["username", "client_id", "expires_at", "credentials_file"])
        #expect(added.json["client_id"] == "alice:phone")
        let file = gateway.directory + "/devices/alice/phone/credentials.json"
        #expect(added.json["credentials_file"].text == file && !added.output.contains("eyJ"))
        let again = try parley.run("device", "add", "alice", "phone")
        #expect(again.status == 1 && again.output.isEmpty)
        #expect(
            again.errors.contains("alice/phone is there; `parley device renew-token alice phone` gives it a new token"))
        let renewed = try parley.run("device", "renew-token", "alice", "phone", "--ttl", "10", "--print-token")
        #expect(renewed.status == 0)
        #expect(renewed.json.keys == ["username", "client_id", "password", "expires_at"])
        // The file says when they were kept, too.
        let kept = try String(contentsOfFile: file, encoding: .utf8)
        #expect(kept.hasPrefix(renewed.output.dropLast(2)) && kept.contains(#""kept_at":"#))
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)

        let profile = try parley.run("request", "--as", "alice/phone", "profile/get")
        #expect(profile.status == 0)
        #expect(profile.lines.count == 1)
        #expect(profile.json["data"]["user_id"] == "alice")
        #expect(profile.errors.isEmpty)

        let listed = try parley.run("request", "--as", "alice/phone", "devices/list").json["data"]["devices"]
        #expect(listed.elements.map { $0["name"] } == ["Ann's phone"])
        #expect(try parley.run("device", "add", "alice", "phone", "--name", "").status != 0)

        let revoked = try parley.run("device", "revoke", "alice", "phone")
        #expect(revoked.status == 0)
        let refused = try parley.run("request", "--as", "alice/phone", "profile/get")
        #expect(refused.status == 3)
        #expect(refused.output.isEmpty)
        #expect(refused.errors.contains("parley device renew-token alice phone"))
        #expect(try parley.run("device", "renew-token", "alice", "phone").status == 1)
    }

    @Test("a refusal is printed as it came, with status 1, whoever refuses")
    func rejections() throws {
        try addPhone()
        let cases = [
            (["nothing/here", "{}"], "not_found"), (["profile/get", "{bad"], "bad_request"),
            (["admin/list-users", "{}"], "forbidden"), (["devices/revoke", "{}"], "bad_request"),
        ]
        for (arguments, code) in cases {
            let outcome = try parley.run("request", "--as", "alice/phone", arguments[0], arguments[1])
            #expect(outcome.status == 1, "\(arguments)")
            #expect(outcome.json["ok"] == false)
            #expect(outcome.json["error"]["code"].text == code)
            #expect(outcome.errors.isEmpty)
        }
        let large = String(repeating: " ", count: 600_000) + "{}"
        let tooLarge = try parley.run("request", "--as", "alice/phone", "profile/get", "-", input: large)
        #expect(tooLarge.status == 1)
        #expect(tooLarge.json["error"]["code"] == "too_large")
    }

    @Test("fields come from standard input, and a renewed token takes the old one's place")
    func inputAndRenewal() throws {
        try addPhone(days: "2")
        let set = try parley.run(
            "request", "profile/set", "-", "--as", "alice/phone", input: #"{"display_name":"Ann","request_id":"r1"}"#)
        #expect(set.status == 0)
        #expect(set.json["request_id"] == "r1")
        #expect(set.errors.contains("the token of alice/phone ends"), "it has less than 3 days left")
        #expect(try parley.run("request", "--as", "alice/phone", "devices/renew").status == 0)
        let get = try parley.run("request", "--as", "alice/phone", "profile/get")
        #expect(get.json["data"]["display_name"] == "Ann")
        #expect(get.errors.isEmpty)
    }

    @Test("what is never replied to ends when the broker has it")
    func typing() throws {
        try addPhone()
        let conversation = #"{"conversation_id":"7f31a5d0-0000-4000-8000-000000000000"}"#
        let outcome = try parley.run("request", "--as", "alice/phone", "typing/start", conversation)
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
    }

    @Test("several at once get along")
    func several() throws {
        try addPhone()
        let runs = try (0..<8).map { _ in
            try parley.start(["request", "--as", "alice/phone", "profile/get"])
        }
        for run in runs {
            #expect(run.child.waitUntilEnded() == 0, "\(run.errors)")
            #expect(try JSON(parsing: run.output.utf8)["data"]["user_id"] == "alice")
        }
    }

    @Test("settings with a mistake are found by parleyd's own check")
    func checkConfig() throws {
        #expect(try parley.run("check-config").status == 0)
        try gateway.write(["no_such_setting": 1])
        let faulty = try parley.run("check-config")
        #expect(faulty.status == 1)
        #expect(faulty.errors.contains("no_such_setting"))
    }

    private func addPhone(days: String = "30") throws {
        try #require(try parley.run("user", "add", "alice").status == 0)
        try #require(try parley.run("device", "add", "alice", "phone", "--ttl", days).status == 0)
    }
}
