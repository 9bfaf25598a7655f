import ParleyStore
import Synchronization

/// The last position that the broker has acknowledged: set by the publisher, stored by the writer now and then.
final class PublishedPosition: Sendable {
    private let number = Atomic<Int>(StreamPosition.start.number)

    func set(_ position: StreamPosition) { number.store(position.number, ordering: .relaxed) }

    var current: StreamPosition { StreamPosition(number: number.load(ordering: .relaxed)) }
}
