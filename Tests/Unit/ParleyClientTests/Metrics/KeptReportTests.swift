import MemoryTransport
import ParleyDeviceStore
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

/// What is reported without a connection is told when there is one: all of it, in its order.
@Suite("Reports that are kept until they are told", .seeded, .timeLimit(.minutes(20)))
struct KeptReportTests {
    private static let day = CivilDay(daysSinceEpoch: 20_000)

    private static func report(_ steps: Int, by client: MessagingClient) async throws {
        try await client.metrics.report(
            MetricValues(steps: steps), on: day.advanced(byDays: steps % 3), in: "UTC", version: steps)
    }

    /// The steps of the reports that the gateway has, and how often it was told each.
    private static func told(_ broker: MemoryBroker) -> (order: [Int], times: [Int: Int]) {
        var (order, times): ([Int], [Int: Int]) = ([], [:])
        for steps in broker.reports.compactMap(\.values.steps) {
            if times[steps] == nil { order.append(steps) }
            times[steps, default: 0] += 1
        }
        return (order, times)
    }

    /// Waits until a client says that the gateway has the last of these, or has refused one.
    private static func outcomes(
        _ count: Int, of events: AsyncStream<ClientEvent>
    ) async -> (taken: [Int], refused: [(RefusedRequest, ErrorCode)]) {
        var (taken, refused): ([Int], [(RefusedRequest, ErrorCode)]) = ([], [])
        for await event in events {
            if case .dayReported(let day) = event { taken.append(day.values.steps ?? 0) }
            if case .requestRefused(let request, let rejection) = event { refused.append((request, rejection.code)) }
            if taken.count + refused.count == count { break }
        }
        return (taken, refused)
    }

    @Test("what was reported in a tunnel is told behind it, once, in its order")
    func tunnel() async throws {
        let device = try MemoryDevice()
        try await device.chat { client, _, _ in
            let events = client.events()
            device.broker.refuseSignIns(.lost)
            device.broker.dropConnections()
            for steps in 1...20 { try await Self.report(steps, by: client) }
            #expect(device.broker.reports.isEmpty)
            device.broker.refuseSignIns(nil)
            #expect(await Self.outcomes(20, of: events).taken == Array(1...20))
        }
        #expect(Self.told(device.broker).order == Array(1...20))
        #expect(Self.told(device.broker).times.values.allSatisfy { $0 == 1 })
    }

    @Test("whatever becomes of packets, each is told, and in its order", arguments: 0..<4)
    func foul(run: Int) async throws {
        let device = try MemoryDevice(.foul(0.1, Seeded(stream: 9300 + UInt64(run))))
        try await device.chat { client, _, _ in
            let events = client.events()
            for steps in 1...20 {
                try await Self.report(steps, by: client)
                if steps % 7 == 0 { device.broker.dropConnections() }
            }
            #expect(await Self.outcomes(20, of: events).taken == Array(1...20))
        }
        #expect(Self.told(device.broker).order == Array(1...20))
    }

    @Test("what the gateway could not take is told at once on the next connection, however long it was to wait")
    func reconnection() async throws {
        let device = try MemoryDevice()
        try await device.chat { client, _, _ in
            let events = client.events()
            device.broker.refuseReports(Rejection(.unavailable, "later", retryAfterMilliseconds: 600_000))
            try await Self.report(1, by: client)
            try await waiting(for: "a report") { device.broker.requests.contains(ReportMetrics.operation) }
            // What is answered later has its answer later.
            _ = try? await client.notifications.list()
            device.broker.refuseReports(nil)
            let start = ContinuousClock.now
            device.broker.dropConnections()
            #expect(await Self.outcomes(1, of: events).taken == [1])
            // Half of what it was to wait.
            #expect(ContinuousClock.now - start < .seconds(300))
        }
    }

    @Test("a gateway at fault costs no report: one that it cannot take is behind the others, and told when it can")
    func fault() async throws {
        let device = try MemoryDevice()
        try await device.chat { client, _, _ in
            let events = client.events()
            device.broker.refuseReports(.internalFault)
            for steps in 1...3 { try await Self.report(steps, by: client) }
            let first = await client.firstKeptRequest
            // The pauses between are those of a new connection.
            while await client.firstKeptRequest == first {
                await client.endRequestPause()
                await Task.yield()
            }
            device.broker.refuseReports(nil)
            while await client.firstKeptRequest != nil {
                await client.endRequestPause()
                await Task.yield()
            }
            let outcomes = await Self.outcomes(3, of: events)
            #expect(outcomes.taken == [2, 3, 1] && outcomes.refused.isEmpty)
        }
    }

    @Test("what this version cannot read stays, the app is told once, and what is behind it is told")
    func unreadable() async throws {
        let device = try MemoryDevice()
        try await device.chat { client, _, _ in
            let events = client.events()
            try await client.keepUnreadableRequests(3)
            for steps in 1...3 { try await Self.report(steps, by: client) }
            var (taken, failures): ([Int], Int) = ([], 0)
            for await event in events {
                if case .dayReported(let day) = event { taken.append(day.values.steps ?? 0) }
                if case .storageFailed(.tooNew(path: _, version: _)) = event { failures += 1 }
                if taken.count == 3 { break }
            }
            #expect(taken == [1, 2, 3] && failures == 1)
            let kept = await client.keptRequestCount
            #expect(kept == 3)
        }
    }

    @Test("what is refused is not tried again, and keeps nothing else waiting")
    func refused() async throws {
        let device = try MemoryDevice()
        try await device.chat { client, _, _ in
            let events = client.events()
            for steps in [1, 2_000_000, 3] { try await Self.report(steps, by: client) }
            let outcomes = await Self.outcomes(3, of: events)
            #expect(outcomes.taken == [1, 3] && outcomes.refused.map(\.1) == [.badRequest])
            let day = Self.day.advanced(byDays: 2_000_000 % 3)
            #expect(outcomes.refused.map(\.0) == [.day(day, version: 2_000_000)])
            // What no gateway would read is not even kept.
            await #expect(throws: ClientError.self) {
                try await client.metrics.report(MetricValues(steps: -1), on: Self.day, in: "UTC", version: 1)
            }
        }
        #expect(Self.told(device.broker).order == [1, 3])
    }
}
