import Glibc
import ParleyProtocol
import TestSupport
import Testing

/// The limits of protocol §4 as settings. Each test has a gateway of its own.
@Suite("Rate limits", .ownThreads)
struct RateLimitTests {
    /// Asks at once, and gives the errors of those that were refused.
    private func burst(_ device: DeviceClient, _ operation: String, _ requests: [JSON]) throws -> [JSON] {
        let asked = try requests.map { try device.ask(operation, $0.bytes) }
        return try asked.map { try device.reply(to: $0) }.filter { $0["ok"] == false }
    }

    @Test("too many requests of a device in an area are refused, with how long to wait; other areas are free")
    func requests() async throws {
        let host = try TestGateway(settings: ["request_burst": 20, "requests_per_second": 1], start: false)
        try host.startBroker()
        let clock = MovedClock(isStopped: true)
        try await host.runInProcess(by: clock) {
            let alice = try host.connect(try host.person())
            let refused = try burst(alice, "profile/get", (0..<30).map { ["request_id": "\($0)"] })
            #expect(refused.count == 10)
            for reply in refused {
                #expect(reply["error"]["code"] == "rate_limited")
                #expect((1...20_000).contains(reply["error"]["retry_after_ms"].int ?? 0))
                // It was not read, so nobody knows what it calls itself.
                #expect(reply["request_id"] == .null)
            }
            try alice.accepted("devices/list")
            let wait = try #require(try alice.request("profile/get")["error"]["retry_after_ms"].int)
            clock.move(by: Int64(wait) - 1)
            #expect(try alice.refusal("profile/get", [:]) == "rate_limited")
            clock.move(by: Int64(wait))
            try alice.accepted("profile/get")
        }
    }

    @Test("all devices of a user together have twice what one has")
    func user() async throws {
        let host = try TestGateway(settings: ["request_burst": 20, "requests_per_second": 1], start: false)
        try host.startBroker()
        try await host.runInProcess(by: MovedClock(isStopped: true)) {
            let alice = try host.person()
            let devices = try [alice] + ["b", "c"].map { try host.device($0, of: alice.username) }
            let refused = try devices.map { credentials in
                try burst(try host.connect(credentials), "profile/get", (0..<20).map { _ in [:] }).count
            }
            #expect(refused == [0, 0, 20])
        }
    }

    @Test("first messages to others are limited, and further ones are not")
    func firstMessages() throws {
        let gateway = try TestGateway(settings: ["first_message_burst": 2, "first_messages_per_hour": 1])
        let people = try gateway.people(4)
        let alice = try gateway.connect(people[0])
        let conversations = try people.dropFirst().map { other in
            try alice.accepted(
                "conversations/create", ["type": "direct", "participant_ids": [.string(other.username)]])["id"].text
                ?? ""
        }
        let first = message(conversations[0])
        try alice.accepted("messages/send", first)
        try alice.accepted("messages/send", message(conversations[1]))
        let refused = try alice.request("messages/send", message(conversations[2]))["error"]
        #expect(refused["code"] == "rate_limited")
        #expect((1...3_600_000).contains(refused["retry_after_ms"].int ?? 0))
        try alice.accepted("messages/send", message(conversations[0]))
        try alice.accepted("messages/send", first)
    }

    @Test("fetching the keys of strangers is limited, and of those one talks with is not")
    func keys() throws {
        let gateway = try TestGateway(settings: ["key_fetches_per_hour": 3])
        let (alice, bob, conversation) = try gateway.pair()
        try bob.accepted("messages/send", message(conversation))
        let stranger = JSON.string(try gateway.person().username)
        for _ in 0..<3 { try alice.accepted("keys/get", ["user_id": stranger]) }
        let refused = try alice.request("keys/get", ["user_id": stranger])["error"]
        #expect(refused["code"] == "rate_limited")
        #expect((1...3_600_000).contains(refused["retry_after_ms"].int ?? 0))
        try alice.accepted("keys/get", ["user_id": .string(bob.user)])
        try alice.accepted("keys/get", ["user_id": .string(alice.user)])
        try bob.accepted("keys/get", ["user_id": stranger])
    }
}
