import Foundation
import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

@Suite("What is reported of days", .onEveryStore)
struct ReportMetricsTests {
    private let world: SocialWorld

    init() throws {
        world = try SocialWorld {
            $0.stepsPerDay = 1000
            $0.storedBytesPerDay = 1_048_576
        }
    }

    @Test("the reply is the day as the gateway has it, whatever came late")
    func replies() throws {
        let first = try world.report(10, by: "alice", version: 5)
        #expect(first.code == nil && first.events.isEmpty)
        #expect(first.reply.data["date"] as? String == "2026-01-15" && first.reply.data["steps"] as? Int == 10)
        #expect(first.reply.data["calories"] is NSNull)
        let late = try world.report(3, by: "alice", version: 4)
        #expect(late.reply.payload == first.reply.payload)
        let repeated = try world.report(10, by: "alice", version: 5, now: at(.days(500)))
        #expect(repeated.reply.payload == first.reply.payload)
        #expect(try world.report(11, by: "alice", version: 5).code == "conflict")
        let more = try world.report(2000, by: "alice", version: 6)
        #expect(more.reply.data["implausible"] as? [String] == ["steps"] && more.reply.data["steps"] as? Int == 2000)
        #expect(try world.test.text("SELECT count(*) FROM metrics") == "1")
        #expect(try world.test.text("SELECT steps FROM metrics") == "2000")
    }

    @Test(
        "a day is today's or an earlier one where the user is",
        arguments: [
            (0, "UTC", nil), (1, "UTC", "bad_request"), (1, "Pacific/Auckland", "bad_request"),
            (-400, "UTC", nil), (-401, "UTC", "bad_request"), (0, "Mars/Olympus", "bad_request"),
        ] as [(Int, String, String?)])
    func days(offset: Int, zone: String, code: String?) throws {
        #expect(try world.report(1, by: "alice", day: january15.advanced(byDays: offset), zone: zone).code == code)
        #expect(try world.test.text("SELECT count(*) FROM metrics") == (code == nil ? "1" : "0"))
    }

    @Test("tomorrow begins where it is tomorrow, and a clock may be five minutes ahead")
    func tomorrow() throws {
        // 22:56 in UTC, 23:56 in Berlin.
        let evening = at(13 * 3_600_000 + 56 * 60_000)
        let tomorrow = january15.advanced(byDays: 1)
        #expect(try world.report(1, by: "alice", day: tomorrow, zone: "UTC", now: evening).code == "bad_request")
        #expect(try world.report(1, by: "bob", day: tomorrow, zone: "Europe/Berlin", now: evening).code == nil)
        #expect(try world.report(1, by: "carol", day: tomorrow, zone: "Asia/Tokyo", now: evening).code == nil)
        #expect(try world.report(1, by: "alice", day: january15, zone: "America/New_York", now: evening).code == nil)
    }

    @Test("operators report nothing, and what is stored is counted")
    func limits() throws {
        let report = ReportMetrics(day: january15, timeZone: "UTC", values: MetricValues(steps: 1), version: 1)
        #expect(try world.result(of: request(report, from: device("operator", "console"))).code == "forbidden")
        try world.test.execute(
            "INSERT INTO stored_bytes VALUES ('alice', \(january15.daysSinceEpoch), 1048576)")
        #expect(try world.report(1, by: "alice").code == "rate_limited")
        #expect(try world.report(1, by: "bob").code == nil)
    }
}
