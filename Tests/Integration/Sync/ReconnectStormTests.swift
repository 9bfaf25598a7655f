import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// Devices that come back at once and ask for what they missed. They have a gateway of their own.
@Suite("A reconnect storm", .ownThreads)
struct ReconnectStormTests {
    /// Fewer where twice as many programs share the machine: a cell that cannot extend its lease in time is shut out by
    /// HAProxy, and so are all of its devices.
    private static let connections = SiteForm.current.hasCells ? 400 : 1000
    /// Reads that may wait; far fewer than are asked for at once.
    private static let waitingReads = 64

    private func gateway() throws -> TestGateway {
        try TestGateway(settings: TestGateway.roomy.with(["waiting_reads": .int(Self.waitingReads)]))
    }

    @Test("no more wait than may, the rest are told to ask again, and by asking again all are served")
    func storm() throws {
        let gateway = try gateway()
        let people = try gateway.people(10)
        let alice = try gateway.connect(people[0])
        for other in people.dropFirst() {
            let id = try alice.conversation(with: other.username)
            for _ in 0..<20 { try alice.accepted("messages/send", message(id)) }
        }
        let devices = try (0..<Self.connections).map { number in
            try gateway.connect(people[1 + number % 9], DeviceClient.Options(connection: "c\(number)"))
        }
        let request: JSON = ["cursors": [:]]
        var waiting = Array(devices.indices)
        var (rounds, refused) = (0, 0)
        while !waiting.isEmpty {
            rounds += 1
            try #require(rounds <= Self.connections, "some are never served")
            let asked = try waiting.map { (device: $0, correlation: try devices[$0].ask("sync/get", request.bytes)) }
            waiting = try asked.compactMap { device, correlation in
                let reply = try devices[device].reply(to: correlation)
                guard reply["ok"] == true else {
                    #expect(reply["error"]["code"] == "unavailable")
                    refused += 1
                    return device
                }
                #expect(reply["data"]["complete"] == true)
                #expect(reply["data"]["conversations"][0]["messages"].elements.count == 20)
                return nil
            }
        }
        // Had all been taken, the queue would have had to hold them.
        #expect(refused > 0)
        // Writers are served as before.
        try alice.accepted("profile/get")
        try #require(gateway.isParleydRunning)
    }
}
