import NIOCore
import ParleyProtocol

/// The requests of one session without a reply, by their correlation data.
struct PendingRequests {
    struct Entry {
        let topic: [UInt8]
        let payload: [UInt8]
        let promise: EventLoopPromise<[UInt8]>
        let deadline: NIODeadline
        fileprivate(set) var repeatAt: NIODeadline
        fileprivate(set) var wait: TimeAmount
    }

    private var entries: [UInt32: Entry] = [:]
    private var last: UInt32 = 0

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    /// - Returns: the number that a reply names.
    mutating func add(
        topic: [UInt8], payload: [UInt8], _ promise: EventLoopPromise<[UInt8]>, now: NIODeadline,
        _ configuration: BrokerConfiguration
    ) -> UInt32 {
        last &+= 1
        entries[last] = Entry(
            topic: topic, payload: payload, promise: promise, deadline: now + configuration.patience,
            repeatAt: now + configuration.firstRepeat, wait: configuration.firstRepeat)
        return last
    }

    subscript(number: UInt32) -> Entry? { entries[number] }

    mutating func remove(_ number: UInt32) -> Entry? { entries.removeValue(forKey: number) }

    /// All of them, in their order, for a new connection.
    var numbers: [UInt32] { entries.keys.sorted { Int32(bitPattern: $0 &- last) < Int32(bitPattern: $1 &- last) } }

    mutating func removeAll() -> [Entry] {
        defer { entries.removeAll() }
        return Array(entries.values)
    }

    mutating func removeExpired(at now: NIODeadline) -> [Entry] {
        let expired = entries.filter { $0.value.deadline <= now }
        for number in expired.keys { entries[number] = nil }
        return Array(expired.values)
    }

    /// The requests that are due to be repeated.
    mutating func due(at now: NIODeadline) -> [UInt32] {
        let due = entries.filter { $0.value.repeatAt <= now }.keys.sorted()
        for number in due { entries[number]?.postpone(from: now) }
        return due
    }
}

extension PendingRequests.Entry {
    fileprivate mutating func postpone(from now: NIODeadline) {
        wait = wait * 2
        repeatAt = now + wait
    }
}
