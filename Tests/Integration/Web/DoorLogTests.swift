import Glibc
import TestSupport
import Testing

extension GatewayTests.WebTests {
    @Suite("The web door's log")
    final class DoorLogTests: DoorSuite {
        @Test("it has debug from one SIGUSR1 to the next, and apps notice nothing")
        func debug() throws {
            let own = try TestDoor(gateway)
            for (signals, (word, lines)) in [("on", 1), ("off", 1), ("on", 2)].enumerated() {
                own.send(SIGUSR1)
                try eventually("signal \(signals + 1) in the log") {
                    own.log.split(separator: "debug is turned \(word)").count == lines + 1 ? true : nil
                }
                #expect(try own.answersOthers())
            }
            #expect(own.end() == 0)
        }
    }
}
