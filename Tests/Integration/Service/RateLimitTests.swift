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
            let alice = try host.client()
            let refused = try burst(alice, "profile/get", (0..<30).map { ["request_id": "\($0)"] })
            #expect(refused.count == 10)
            for reply in refused {
                #expect(reply["error"]["code"] == "rate_limited")
                #expect((1...20_000).contains(reply["error"]["retry_after_ms"].int ?? 0))
                // It was not read, so its id is unknown.
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
}
