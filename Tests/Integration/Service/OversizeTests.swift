import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// Requests larger than any may be, where the broker lets them pass. Each test has a gateway of its own.
@Suite("Oversize requests", .ownThreads)
struct OversizeTests {
    /// A gateway whose broker has no limit on packets and messages.
    private func gateway(_ settings: JSON) throws -> TestGateway {
        let gateway = try TestGateway(settings: settings, start: false)
        for machine in gateway.machines {
            let path = machine.directory + "/mosquitto.conf"
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            try lines.filter { !$0.hasPrefix("max_packet_size") && !$0.hasPrefix("message_size_limit") }
                .joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        try gateway.startBroker()
        try gateway.startParleyd()
        return gateway
    }

    @Test("they are answered too_large, however many come, and everybody else goes on being answered")
    func answered() throws {
        // A small batch is a small receive maximum, which is what such requests could use up.
        let gateway = try gateway(TestGateway.roomy.with(["batch_limit": 3]))
        let alice = try gateway.client()
        let bob = try gateway.client()
        let long = [0x7B] + [UInt8](repeating: 0x20, count: 1_100_000) + [0x7D]
        for _ in 0..<8 {
            let reply = try alice.request("profile/get", payload: long)
            #expect(reply["error"]["code"] == "too_large" && reply["request_id"] == .null)
        }
        try bob.accepted("profile/get")
        try alice.accepted("profile/get")
    }
}
