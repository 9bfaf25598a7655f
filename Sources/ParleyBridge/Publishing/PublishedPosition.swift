import ParleyStore
import Synchronization

/// The last position that the broker has acknowledged: set by the publisher, stored by the writer now and then.
final class PublishedPosition: Sendable {
    private let number = Atomic<Int>(StreamPosition.start.number)
    private let needed = Atomic<Int>(Int.max)

    func set(_ position: StreamPosition) { number.store(position.number, ordering: .relaxed) }

    var current: StreamPosition { StreamPosition(number: number.load(ordering: .relaxed)) }

    /// The position behind which other cells have not read all; far ahead where there are none.
    var neededByCells: StreamPosition {
        get { StreamPosition(number: needed.load(ordering: .relaxed)) }
        set { needed.store(newValue.number, ordering: .relaxed) }
    }
}
