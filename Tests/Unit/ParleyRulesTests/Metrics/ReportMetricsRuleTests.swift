import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Accepting what is reported of a day")
struct ReportMetricsRuleTests {
    private static let caps = MetricCaps(steps: 100, calories: 50, exerciseMinutes: 30)
    private let today = CivilDay(daysSinceEpoch: 20_000)

    private func report(_ version: Int, daysAgo: Int = 0, steps: Int? = 10, zone: String = "UTC") -> ReportMetrics {
        ReportMetrics(
            day: today.advanced(byDays: -daysAgo), timeZone: zone, values: MetricValues(steps: steps, calories: 5),
            version: version)
    }

    private func decide(
        _ report: ReportMetrics, existing: DayMetrics? = nil
    ) throws(Rejection) -> ReportMetricsRule.Decision {
        try ReportMetricsRule.decide(report, existing: existing, today: today, caps: Self.caps)
    }

    private func kept(_ report: ReportMetrics, existing: DayMetrics? = nil) throws -> DayMetrics {
        guard case .keep(let metrics) = try decide(report, existing: existing) else {
            Issue.record("not kept")
            throw Rejection.internalFault
        }
        return metrics
    }

    @Test("a higher version replaces all of the day, and a lower one changes nothing")
    func versions() throws {
        let first = try kept(report(3))
        #expect(first.values == MetricValues(steps: 10, calories: 5) && first.version == 3)
        let second = try kept(report(4, steps: nil), existing: first)
        #expect(second.values == MetricValues(calories: 5) && second.version == 4)
        #expect(try decide(report(3), existing: second) == .unchanged(second))
        #expect(try decide(report(0, steps: 99), existing: second) == .unchanged(second))
    }

    @Test("the same version with the same content is a repeat, with another a conflict")
    func repeats() throws {
        let day = try kept(report(3))
        #expect(try decide(report(3), existing: day) == .unchanged(day))
        #expect(rejection { try decide(report(3, steps: 11), existing: day) }?.code == .conflict)
        #expect(
            rejection { try decide(report(3, zone: "Asia/Tokyo"), existing: day) }?.code
                == .conflict)
    }

    @Test("in whatever order reports come, the highest version holds")
    func order() throws {
        let reports = [report(1, steps: 1), report(2, steps: nil), report(5, steps: 7), report(9, steps: 3)]
        for first in reports {
            for second in reports where second != first {
                for third in reports where third != first && third != second {
                    var day: DayMetrics?
                    for next in [first, second, third] {
                        if case .keep(let metrics) = try decide(next, existing: day) { day = metrics }
                    }
                    let highest = [first, second, third].max { $0.version < $1.version }
                    #expect(day?.version == highest?.version && day?.values == highest?.values)
                }
            }
        }
    }

    @Test("a day is taken from today to 400 days ago, and no other")
    func days() throws {
        #expect(try kept(report(1, daysAgo: 0)).day == today)
        #expect(try kept(report(1, daysAgo: 400)).day == today.advanced(byDays: -400))
        for daysAgo in [-1, 401, -10_000, 20_000] {
            #expect(rejection { try decide(report(1, daysAgo: daysAgo)) }?.code == .badRequest)
        }
    }

    @Test("what is more than a day has is kept and marked, and what is as much is not")
    func caps() throws {
        #expect(try kept(report(1, steps: 100)).implausible.isEmpty)
        let day = try kept(report(1, steps: 101))
        #expect(day.implausible == [.known(.steps)] && day.values.steps == 101)
        #expect(
            Self.caps.implausible(in: MetricValues(steps: 1, calories: 51, exerciseMinutes: 31))
                == [.calories, .exerciseMinutes])
    }
}
