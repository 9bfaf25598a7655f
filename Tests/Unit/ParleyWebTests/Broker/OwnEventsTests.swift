import Testing

@testable import ParleyWeb

@Suite("The events of a user's own topic, at the door")
struct OwnEventsTests {
    @Test("one that waits holds back those behind it, and all go in order when it is released")
    func order() {
        var events = OwnEvents()
        _ = events.add([1], waits: false)
        #expect(events.takeReady() == [[1]])
        let created = events.add([2], waits: true)
        _ = events.add([3], waits: false)
        let joined = events.add([4], waits: true)
        #expect(events.takeReady().isEmpty)
        // The later one's topics are subscribed to first.
        events.release(joined)
        #expect(events.takeReady().isEmpty)
        events.release(created)
        #expect(events.takeReady() == [[2], [3], [4]])
        #expect(events.takeReady().isEmpty)
    }

    @Test("releasing what went before, or never came, changes nothing")
    func unknownNumbers() {
        var events = OwnEvents()
        let first = events.add([1], waits: true)
        events.release(first)
        #expect(events.takeReady() == [[1]])
        _ = events.add([2], waits: true)
        for number in [first, first + 2, -1] { events.release(number) }
        #expect(events.takeReady().isEmpty)
    }
}
