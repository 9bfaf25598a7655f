import ParleyProtocol
import Testing

@Suite("The broker's counts")
struct BrokerCountsTests {
    @Test("counts are read as they were written")
    func roundTrip() throws {
        var counts = BrokerCounts()
        #expect(BrokerCounts(message: counts.message) == counts)
        (counts.refusedSignIns, counts.turnedAway, counts.overLimit, counts.disconnected) = (1, 2, 3, .max)
        (counts.notReady, counts.sessionsRemoved, counts.madeAnew) = (5, 7, 6)
        (counts.accessEnded, counts.tokensExpired) = (8, 9)
        #expect(BrokerCounts(message: counts.message) == counts)
    }

    @Test("a message that is wrong anywhere is none")
    func damagedMessage() {
        let message = BrokerCounts().message
        for length in 0..<message.count { #expect(BrokerCounts(message: Array(message.prefix(length))) == nil) }
        #expect(BrokerCounts(message: message + [0]) == nil)
        #expect(BrokerCounts(message: [1] + message.dropFirst()) == nil)
        #expect(BrokerCounts(message: [3, 0xFF] + message.dropFirst(2)) == nil)
    }
}
