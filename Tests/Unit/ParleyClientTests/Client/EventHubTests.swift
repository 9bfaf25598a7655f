import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Events for everybody who listens", .timeLimit(.minutes(20)))
struct EventHubTests {
    private func event(_ number: Int) -> ClientEvent {
        .conversationRemoved(ConversationID(UUIDValue(high: 0, low: UInt64(number))))
    }

    /// Numbers of events, and how many are missing, as negative numbers.
    private func taken(_ events: AsyncStream<ClientEvent>) async -> [Int] {
        var numbers: [Int] = []
        for await event in events {
            switch event {
            case .conversationRemoved(let id): numbers.append(Int(id.value.low))
            case .missed(let count): numbers.append(-count)
            default: Issue.record("an event that nobody made: \(event)")
            }
        }
        return numbers
    }

    @Test("each has all that happens from when they listen, in order, until the end")
    func everybody() async {
        let hub = EventHub(capacity: 10)
        let first = hub.listen()
        hub.emit(event(1))
        let second = hub.listen()
        hub.emit(event(2))
        hub.finish()
        #expect(await taken(first) == [1, 2])
        #expect(await taken(second) == [2])
        #expect(await taken(hub.listen()) == [])
    }

    @Test("who is slow misses events, is told how many, and holds up nobody")
    func slow() async {
        let hub = EventHub(capacity: 3)
        let slow = hub.listen()
        var slowly = slow.makeAsyncIterator()
        for number in 1...8 { hub.emit(event(number)) }
        _ = await slowly.next()
        _ = await slowly.next()
        hub.emit(event(9))
        hub.finish()
        #expect(await taken(slow) == [3, -5, 9])
    }

    @Test("a listener may be cancelled at the very moment that an event is handed over")
    func cancelledMeanwhile() async {
        // The two took each other's locks in opposite orders once, and neither came on.
        for _ in 0..<2_000 {
            let hub = EventHub(capacity: 4)
            let events = hub.listen()
            let listening = Task { for await _ in events {} }
            async let emitted: Void = { for number in 1...4 { hub.emit(event(number)) } }()
            listening.cancel()
            await emitted
            hub.finish()
            await listening.value
        }
    }

    @Test("who listens no more is forgotten")
    func gone() async {
        let hub = EventHub(capacity: 1)
        let listening = Task {
            let events = hub.listen()
            hub.emit(event(1))
            for await _ in events { break }
        }
        await listening.value
        #expect(hub.listenerCount == 0)
    }
}

@Suite("Waking a loop", .timeLimit(.minutes(20)))
struct BellTests {
    @Test("a ring wakes who waits, and one that nobody waited for is kept")
    func signal() async {
        let signal = WakeSignal()
        signal.signal()
        signal.signal()
        await signal.wait()
        async let waiting: Void = signal.wait()
        signal.signal()
        await waiting
    }

    @Test("a time wakes as a ring does")
    func deadline() async {
        let signal = WakeSignal()
        let deadline = ContinuousClock.now + .milliseconds(20)
        await signal.wait(until: deadline)
        #expect(ContinuousClock.now >= deadline)
        await signal.wait(until: .now - .seconds(1))
    }

    @Test("a task that is cancelled does not wait")
    func cancelled() async {
        let signal = WakeSignal()
        let waiting = Task { await signal.wait() }
        waiting.cancel()
        await waiting.value
    }
}
