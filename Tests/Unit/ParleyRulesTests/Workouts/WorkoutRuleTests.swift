import ParleyProtocol
import ParleyRules
import Testing

@Suite("Which workouts are taken")
struct WorkoutRuleTests {
    @Test(
        "not those of the future, nor those of more than 400 days ago",
        arguments: [
            ("2026-01-15T12:05:00.000Z", true), ("2026-01-15T12:05:00.001Z", false),
            ("2024-12-11T12:00:00.000Z", true), ("2024-12-11T11:59:59.999Z", false),
            ("9999-12-31T23:59:59.999Z", false), ("0000-01-01T00:00:00.000Z", false),
        ])
    func window(_ time: String, _ isTaken: Bool) throws {
        let (now, at) = (try ParleyRulesTests.time("2026-01-15T12:00:00.000Z"), try ParleyRulesTests.time(time))
        let refusal = rejection { try WorkoutRule.check(completedAt: at, now: now) }
        #expect((refusal == nil) == isTaken)
        #expect(refusal == nil || refusal?.code == .badRequest)
    }

    @Test("a workout is refused when its week is closed in every zone, and not while one zone takes it")
    func closedWeek() throws {
        let weeks = try ["Pacific/Kiritimati", "UTC", "Pacific/Honolulu"].map {
            WeekPeriod(try week("2026-W03"), in: try zone($0))
        }
        let end = weeks[2].closesAt(grace: .seconds(7200))
        func refusal(_ count: Int, _ now: Timestamp) -> Rejection? {
            rejection { try WorkoutRule.check(in: weeks.prefix(count), countOfDay: 0, grace: .seconds(7200), now: now) }
        }
        #expect(refusal(3, end.advanced(byMilliseconds: -1)) == nil)
        #expect(refusal(3, end) == .weekClosed)
        #expect(refusal(2, end.advanced(byMilliseconds: -1)) == .weekClosed)
    }

    @Test("a user has a hundred workouts of one day, and a closed week is said first")
    func mostOfDay() throws {
        let period = WeekPeriod(try week("2026-W03"), in: .utc)
        func code(_ count: Int, now: Timestamp) -> ErrorCode? {
            rejection { try WorkoutRule.check(in: [period], countOfDay: count, grace: .zero, now: now) }?.code
        }
        #expect(code(99, now: period.startsAt) == nil && code(100, now: period.startsAt) == .badRequest)
        #expect(code(100, now: period.endsAt) == .weekClosed)
    }
}
