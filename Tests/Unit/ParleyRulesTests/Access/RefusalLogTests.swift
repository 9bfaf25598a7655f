import ParleyRules
import Testing

@Suite("The log of refusals")
struct RefusalLogTests {
    private static let second: Int64 = 1_000_000_000

    @Test("one a second is logged, with how many others there were")
    func oneASecondIsLogged() {
        var log = RefusalLog()
        let lines = (0..<4000).compactMap { log.add(uptime: 5 + Int64($0) * Self.second / 2000) }
        #expect(lines == [0, 1999])
        #expect(log.drainHeld(uptime: 5 + 2 * Self.second - 1) == nil)
        #expect(log.drainHeld(uptime: 5 + 2 * Self.second) == 1999)
        #expect(log.drainHeld(uptime: 5 + 9 * Self.second) == nil)
    }

    @Test("who comes a second after the last is logged alone")
    func nextSecondIsLoggedAlone() {
        var log = RefusalLog()
        #expect(log.add(uptime: 0) == 0)
        #expect(log.add(uptime: Self.second) == 0)
        #expect(log.drainHeld(uptime: 9 * Self.second) == nil)
    }
}
