import Testing

@testable import ParleyBridge

@Suite("Turns of loops")
struct LoopTurnsTests {
    @Test("are recent from the beginning on, and again once both loops have gone round")
    func turns() {
        let turns = LoopTurns()
        #expect(turns.areRecent(within: .seconds(3600)))
        while turns.areRecent(within: .milliseconds(1)) {}
        turns.recordIntake()
        #expect(!turns.areRecent(within: .milliseconds(1)))
        turns.recordPublisher()
        #expect(turns.areRecent(within: .seconds(3600)))
    }
}
