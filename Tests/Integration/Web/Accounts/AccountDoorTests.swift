import Foundation
import MQTTWire
import ParleyProtocol
import Platform
import TestSupport
import Testing

/// The door's own device, and who is counted by which address. Each test has a gateway and doors of its own.
@Suite("The web door's own device", .ownThreads)
struct AccountDoorTests {
    /// The status of each of some attempts with a wrong password, from these addresses as the header says.
    private func attempts(_ site: AccountSite, at door: TestDoor, from addresses: [String]) throws -> [Int] {
        try addresses.enumerated().map { number, address in
            try site.ask(
                "sign-in", AccountSite.signIn("nobody\(number)@example.com"), at: door,
                ["X-Forwarded-For: \(address)"]
            ).status
        }
    }

    @Test("a client's header changes nothing of who is counted, unless the door is behind a proxy that writes it")
    func forwarded() throws {
        let site = try AccountSite(["account_attempts_per_network": 3])
        let five = (1...5).map { "198.51.100.\($0)" }
        #expect(try attempts(site, at: site.door, from: five) == [401, 401, 401, 429, 429])
        let behind = try site.anotherDoor(["--forwarded-for"])
        #expect(try attempts(site, at: behind, from: five) == [401, 401, 401, 401, 401])
        // What stands before the last entry is the client's.
        let spoofed = (1...4).map { "198.51.100.\($0 + 20), 2001:db8::\($0)" }
        #expect(try attempts(site, at: behind, from: spoofed) == [401, 401, 401, 429])
        #expect(try attempts(site, at: behind, from: ["2001:db8::1, 203.0.113.1"]) == [401])
        let body = AccountSite.signIn("x@example.com").with(["address": "203.0.113.77"])
        let limited = try site.ask("sign-in", body)
        #expect(limited.status == 429 && limited.fields["retry-after"] != nil)
    }

    @Test("nobody uses the door's device through the door")
    func shown() throws {
        let site = try AccountSite()
        let data = try Data(contentsOf: URL(filePath: site.credentials))
        let credentials = try JSONDecoder().decode(DeviceCredentials.self, from: data)
        for path in ["profile/get", "ws-ticket"] {
            #expect(try site.door.ask("POST", "/api/v1/\(path)", [:], as: credentials).status == 401)
        }
        do {
            _ = try AppSocket(site.door, token: credentials.password)
            Issue.record("a WebSocket of the door's own device")
        } catch let refused as AppSocket.Refused {
            #expect(refused.answer.status == 401)
        }
        let alice = try site.gateway.person()
        #expect(try site.door.ask("POST", "/api/v1/profile/get", [:], as: alice).status == 200)
    }

    @Test("new credentials of the door's device are used once the gateway has written them")
    func renewed() throws {
        let site = try AccountSite()
        #expect(try site.ask("providers", [:]).status == 200)
        let before = try Data(contentsOf: URL(filePath: site.credentials))
        // Without the file the next start makes another token, and the old one ends.
        try FileManager.default.removeItem(atPath: site.credentials)
        site.gateway.endParleyd()
        try site.gateway.startParleyd()
        #expect(try Data(contentsOf: URL(filePath: site.credentials)) != before)
        try eventually("a sign-in by the new token") { try site.ask("providers", [:]).status == 200 ? () : nil }
    }

    @Test("where the gateway does not answer, it is unavailable, and the door serves others")
    func unavailable() throws {
        let site = try AccountSite()
        let alice = try site.gateway.person()
        site.gateway.endBroker(SIGKILL)
        let answer = try site.ask("providers", [:])
        #expect(answer.status == 503 && answer.fields["retry-after"] != nil)
        #expect(try site.door.answersOthers())
        try site.gateway.startBroker()
        try eventually("a sign-in") { try site.ask("providers", [:]).status == 200 ? () : nil }
        #expect(try site.door.ask("POST", "/api/v1/profile/get", [:], as: alice).status == 200)
    }

    @Test("hundreds who sign in at once shut out nobody who is signed in, and each has an answer")
    func crowd() throws {
        let site = try AccountSite()
        let alice = try site.gateway.person()
        let crowd = try (0..<300).map { number in
            let connection = try site.door.connect()
            let body = AccountSite.signIn("nobody\(number)@example.com").bytes
            try connection.send(TestDoor.request("POST", "/api/v1/accounts/sign-in", body))
            return connection
        }
        for _ in 0..<10 { #expect(try site.door.ask("POST", "/api/v1/profile/get", [:], as: alice).status == 200) }
        let statuses = try crowd.map { try #require(try $0.answer()).status }
        #expect(Set(statuses).isSubset(of: [401, 429]) && statuses.contains(401))
    }

    @Test("no log has an address, a password, a code or a token")
    func logs() throws {
        let site = try AccountSite(door: ["--log-level", "debug"])
        let alice = try site.makeAccount("alice@example.com", "alice")
        _ = try site.ask("sign-in", AccountSite.signIn("alice@example.com", "wrong horse battery"))
        let secrets = [
            "alice@example.com", AccountSite.password, "wrong horse battery", try site.code(for: "alice@example.com"),
            alice.credentials.password,
        ]
        for log in [site.door.log, site.gateway.log, site.gateway.brokerLog] {
            for secret in secrets { #expect(!log.contains(secret)) }
        }
    }
}
