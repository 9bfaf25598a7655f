import Glibc
import ParleyProtocol
import TestSupport
import Testing

/// A rate of protocol §4 as a setting.
@Suite("Rate limits", .ownThreads, .oneMachine(.clock))
struct RateLimitTests {
    @Test("too many requests of a device in an area are refused, with how long to wait; other areas are free")
    func requests() async throws {
        let host = try TestGateway(settings: ["request_burst": 20, "requests_per_second": 1], start: false)
        try host.startBroker()
        let clock = MovedClock(isStopped: true)
        try await host.runInProcess(by: clock) {
            let alice = try host.client()
            let asked = try (0..<30).map { number in
                try alice.ask("profile/get", JSON.object(["request_id": "\(number)"]).bytes)
            }
            let refused = try asked.map { try alice.reply(to: $0) }.filter { $0["ok"] == false }
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
}
