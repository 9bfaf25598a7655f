import ParleyRules
import Testing

struct RefusalLogTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `one a second is logged, with how many others there were`() {
        var log = RefusalLog()
        let lines = (0..<4000).compactMap { log.add(uptime: 5 + Int64($0) * Self.second / 2000) }
        #expect(lines == [0, 1999])
        #expect(log.drainHeld(uptime: 5 + 2 * Self.second - 1) == nil)
        #expect(log.drainHeld(uptime: 5 + 2 * Self.second) == 1999)
        #expect(log.drainHeld(uptime: 5 + 9 * Self.second) == nil)
    }

    @Test func `who comes a second after the last is logged alone`() {
        var log = RefusalLog()
        #expect(log.add(uptime: 0) == 0)
        #expect(log.add(uptime: Self.second) == 0)
        #expect(log.drainHeld(uptime: 9 * Self.second) == nil)
    }
}
