import Launch
import GatewaySite
import Foundation
import Platform
import ParleyBridge
import ParleyProtocol
import ParleyStore

/// The memory and times of a gateway on a large database.
enum StoreFigures {
    /// - Returns: names and values, for a table.
    static func measure(
        _ site: Site, _ filled: FilledStore, starts: Int, pages: Int, stop: StopFlag
    ) throws -> [[String]] {
        guard let seat = filled.reader else { throw SiteError.badName }
        let size = try FileManager.default.attributesOfItem(atPath: site.directory.database)[.size] as? Int
        var seconds: [Double] = []
        for _ in 1..<starts {
            let (gateway, taken) = try start(site, stop)
            seconds.append(taken)
            gateway.end(grace: Site.grace)
        }
        let (gateway, taken) = try start(site, stop)
        defer { gateway.end(grace: Site.grace) }
        let residentReady = ProcessUsage.residentMegabytes(gateway.identifier).now

        var reader = try HistoryReader(seat, port: site.port)
        let cpuBefore = ProcessUsage.cpuSeconds(gateway.identifier)
        let roundTrips = try (0..<pages).map { _ in
            if stop.isRaised { throw LoadError.interrupted }
            return try reader.read(filled.ids[Int.random(in: filled.ids.indices)])
        }.sorted()
        let pageMicroseconds = (ProcessUsage.cpuSeconds(gateway.identifier) - cpuBefore) * 1e6 / Double(pages)
        let (residentAfterPages, residentMost) = ProcessUsage.residentMegabytes(gateway.identifier)
        gateway.end(grace: Site.grace)

        // No second process may have the database open.
        let store = try Store(path: site.directory.database)
        let inside = try (0..<pages).map { _ in
            let request = GetHistory(conversation: filled.ids[Int.random(in: filled.ids.indices)])
            let begun = MonotonicTime.now
            _ = try store.read { try HistoryPage.read(request, for: seat.address.user, $0) }
            return MonotonicTime.now - begun
        }.sorted()
        return [
            ["database", "\((Double(size ?? 0) / 1e6).formatted(0)) MB"],
            ["start to ready", "\(Spread(seconds + [taken]).formatted(2)) s"],
            ["resident when ready", "\(residentReady.formatted(1)) MB"],
            ["resident after the pages", "\(residentAfterPages.formatted(1)) MB"],
            ["resident at most", "\(residentMost.formatted(1)) MB"],
            ["page of 50 inside the gateway, p50 / p99", milliseconds(inside)],
            ["page of 50 at a device, request to reply, p50 / p99", milliseconds(roundTrips)],
            ["CPU of the gateway for a page", "\(pageMicroseconds.formatted(0)) µs"],
        ]
    }

    private static func start(_ site: Site, _ stop: StopFlag) throws -> (gateway: ChildProcess, seconds: Double) {
        if stop.isRaised { throw LoadError.interrupted }
        let begun = MonotonicTime.now
        let gateway = try site.start(.gatewayEvent)
        return (gateway, Double(MonotonicTime.now - begun) / 1e9)
    }

    private static func milliseconds(_ times: [Int64]) -> String {
        [0.5, 0.99].map { share in
            times.percentile(share).map { (Double($0) / 1e6).formatted(2) } ?? ""
        }.joined(separator: " / ") + " ms"
    }
}
