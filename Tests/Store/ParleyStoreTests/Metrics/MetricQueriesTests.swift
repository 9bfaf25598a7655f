import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored days", .onEveryStore)
final class MetricQueriesTests: PeopleSuite {
    private let day = CivilDay(daysSinceEpoch: 20_000)

    private func metrics(_ values: MetricValues, day: Int = 0, version: Int = 1) -> DayMetrics {
        DayMetrics(
            day: self.day.advanced(byDays: day), timeZone: "Europe/Berlin", version: version, values: values,
            implausible: [.known(.steps), .known(.exerciseMinutes)])
    }

    @Test("a day comes back as it was written last, whole")
    func comesBack() throws {
        let first = metrics(MetricValues(steps: 7, calories: 8))
        let second = metrics(MetricValues(exerciseMinutes: 9), version: 2)
        try store.write { transaction in
            for metrics in [first, second] {
                try transaction.metrics.save(metrics, of: "alice", at: at(0))
                #expect(try transaction.facts.metrics.day(day, of: "alice") == metrics)
            }
            #expect(try transaction.facts.metrics.day(day, of: "bob") == nil)
            #expect(try transaction.facts.metrics.day(day.advanced(byDays: 1), of: "alice") == nil)
        }
    }

    @Test("days are added up from the first to the last, none for more than the cap")
    func sums() throws {
        try store.write { transaction in
            for (offset, steps) in [(0, 10), (1, 20), (2, nil), (3, 1000), (4, 5)] {
                try transaction.metrics.save(
                    metrics(MetricValues(steps: steps, calories: 1), day: offset), of: "alice", at: at(0))
            }
            func sum(_ metric: Metric, _ days: ClosedRange<Int>, cap: Int = 100) throws -> Int {
                try transaction.facts.metrics.sum(
                    of: metric, of: "alice", from: day.advanced(byDays: days.lowerBound),
                    through: day.advanced(byDays: days.upperBound), cap: cap)
            }
            #expect(try sum(.steps, 0...4) == 135 && sum(.steps, 1...3) == 120 && sum(.steps, 2...2) == 0)
            #expect(try sum(.steps, 0...4, cap: 8) == 29 && sum(.calories, 0...4) == 5 && sum(.steps, 9...20) == 0)
            #expect(try sum(.exerciseMinutes, 0...4) == 0)
        }
    }
}
