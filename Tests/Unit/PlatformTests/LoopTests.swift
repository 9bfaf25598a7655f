import Platform
import Testing

@Suite("The loop's clocks, wake-ups and threads")
struct LoopTests {
    @Test("a signal from another thread wakes a loop, and several are one")
    func wakeUp() async throws {
        let wakeUp = try WakeUp()
        let stop = StopFlag()
        async let rounds = LoopThread.run(name: "a loop with a long name") {
            var watched = [WatchedDescriptor(wakeUp.descriptor)]
            var rounds = 0
            while !stop.isRaised {
                try waitForEvents(&watched, timeout: nil)
                wakeUp.drain()
                rounds += 1
            }
            return rounds
        }
        for _ in 0..<1000 { wakeUp.signal() }
        stop.raise()
        wakeUp.signal()
        #expect(try await rounds <= 1001)
    }

    @Test("a signal is not lost between drains")
    func drained() throws {
        let wakeUp = try WakeUp()
        var watched = [WatchedDescriptor(wakeUp.descriptor)]
        for _ in 0..<3 {
            wakeUp.signal()
            wakeUp.signal()
            #expect(try waitForEvents(&watched, timeout: .seconds(10)) == 1)
            #expect(watched[0].isReadable)
            wakeUp.drain()
            #expect(try waitForEvents(&watched, timeout: .zero) == 0)
            #expect(!watched[0].isReadable)
        }
    }

    @Test("waiting ends after its timeout, and a negative descriptor is passed over")
    func timeout() throws {
        let wakeUp = try WakeUp()
        var watched = [WatchedDescriptor(-1), WatchedDescriptor(wakeUp.descriptor)]
        #expect(try waitForEvents(&watched, timeout: .microseconds(1)) == 0)
        #expect(try waitForEvents(&watched, timeout: .seconds(-1)) == 0)
        wakeUp.signal()
        #expect(try waitForEvents(&watched, timeout: .seconds(Int64.max)) == 1)
        #expect(watched.map(\.isReadable) == [false, true])
    }

    @Test("what the body of a thread throws reaches the caller")
    func thrown() async throws {
        struct LoopError: Error, Equatable {}
        await #expect(throws: LoopError()) { try await LoopThread.run(name: "failing") { throw LoopError() } }
    }
}
