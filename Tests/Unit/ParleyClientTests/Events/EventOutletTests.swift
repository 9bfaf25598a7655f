import Testing

@testable import ParleyClient

@Suite("Events for a slow reader")
struct EventOutletTests {
    private func filters(_ events: AsyncStream<DeviceEvent>) async -> [String] {
        var seen: [String] = []
        for await event in events {
            switch event {
            case .subscribed(let filter): seen.append(filter)
            case .missed(let count): seen.append("missed \(count)")
            case .ended: seen.append("ended")
            case .connected, .waiting, .subscriptionRefused, .message: seen.append("other")
            }
        }
        return seen
    }

    @Test("a reader who keeps up sees every event, in order, and the last one")
    func inOrder() async {
        var outlet = EventOutlet()
        for filter in ["a", "b", "c"] { outlet.emit(.subscribed(filter: filter)) }
        outlet.finish(.lost)
        #expect(await filters(outlet.events) == ["a", "b", "c", "ended"])
    }

    @Test("what finds no room is counted, and the reader is told how many")
    func missed() async {
        var outlet = EventOutlet(capacity: 2)
        for filter in ["a", "b", "c", "d"] { outlet.emit(.subscribed(filter: filter)) }
        var reader = outlet.events.makeAsyncIterator()
        var seen: [DeviceEvent?] = [await reader.next(), await reader.next()]
        outlet.emit(.subscribed(filter: "e"))
        seen += [await reader.next(), await reader.next()]
        let isMissedThenGranted =
            if case .missed(2)? = seen[2], case .subscribed("e")? = seen[3] { true } else { false }
        #expect(isMissedThenGranted, "it saw: \(seen)")
    }
}
