import Testing

@testable import ParleyBridge

@Suite("Whether the gateway is ready")
struct ReadinessTests {
    @Test("it is ready when all conditions hold, and says of each other one what is wrong")
    func conditions() {
        let readiness = Readiness()
        #expect(readiness[.databaseWritable] && readiness.failures.count == Readiness.Condition.allCases.count - 1)
        for condition in Readiness.Condition.allCases where condition != .databaseWritable {
            #expect(!readiness.wasEverReady)
            readiness.set(condition, true)
            #expect(!readiness.failures.contains(condition.failure))
        }
        #expect(readiness.failures.isEmpty && readiness.wasEverReady)
        readiness.set(.databaseWritable, false)
        #expect(readiness.failures == ["the database cannot be written"] && readiness.wasEverReady)
    }
}
