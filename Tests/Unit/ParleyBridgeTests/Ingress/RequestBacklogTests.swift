import Testing

@testable import ParleyBridge

@Suite("Requests that may have waited in the broker")
struct RequestBacklogTests {
    @Test("a marker ends the backlog when it comes back")
    func marker() {
        var backlog = RequestBacklog()
        #expect(backlog.isOpen && !backlog.isRefused)
        backlog.end(at: backlog.makeMarker())
        #expect(!backlog.isOpen)
        backlog.begin()
        #expect(backlog.isOpen && !backlog.isRefused)
    }

    @Test("of two lapses the marker of the first ends nothing, that of the second does")
    func twoLapses() {
        var backlog = RequestBacklog()
        backlog.end(at: backlog.makeMarker())
        backlog.refuse()
        let first = backlog.makeMarker()
        backlog.refuse()
        let second = backlog.makeMarker()
        backlog.end(at: first)
        #expect(backlog.isOpen && backlog.isRefused)
        backlog.end(at: second)
        #expect(!backlog.isOpen && !backlog.isRefused)
        // The broker may bring one twice.
        backlog.refuse()
        backlog.end(at: second)
        #expect(backlog.isRefused)
    }

    @Test("a marker from before the gateway was connected anew ends nothing, nor does one of another process")
    func earlier() {
        var (backlog, other) = (RequestBacklog(), RequestBacklog())
        backlog.refuse()
        let before = backlog.makeMarker()
        backlog.begin()
        backlog.end(at: before)
        #expect(backlog.isOpen && backlog.isRefused)
        let marker = backlog.makeMarker()
        backlog.end(at: other.makeMarker())
        #expect(backlog.isOpen && backlog.isRefused)
        backlog.end(at: marker)
        #expect(!backlog.isOpen && !backlog.isRefused)
    }
}
