import ParleyStore
import Synchronization

/// How far the broker has acknowledged what is published: set by the publisher, stored by the writer now and then.
final class PublishedPosition: Sendable {
    private let number = Atomic<Int>(StreamPosition.start.number)

    func set(_ position: StreamPosition) { number.store(position.number, ordering: .relaxed) }

    var current: StreamPosition { StreamPosition(number: number.load(ordering: .relaxed)) }
}
