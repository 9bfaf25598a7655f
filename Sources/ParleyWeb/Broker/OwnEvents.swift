/// The events of the user's own topic that listeners have not heard yet, in order.
///
/// One that names new topics waits until the door has subscribed to them, and later ones wait behind it. So an app that
/// has heard of a conversation hears what is sent in it from then on, and has what was sent earlier from history.
struct OwnEvents {
    private var events: [(bytes: [UInt8], waits: Bool)] = []
    /// The number of the first of `events`.
    private var first = 0

    /// - Returns: the event's number, to release it by.
    mutating func add(_ event: [UInt8], waits: Bool) -> Int {
        events.append((event, waits))
        return first + events.count - 1
    }

    mutating func release(_ number: Int) {
        guard events.indices.contains(number - first) else { return }
        events[number - first].waits = false
    }

    /// Removes the events that wait for nothing, up to the first that does.
    mutating func takeReady() -> [[UInt8]] {
        let ready = events.prefix { !$0.waits }.map(\.bytes)
        events.removeFirst(ready.count)
        first += ready.count
        return ready
    }
}
