import ParleyProtocol
import Synchronization
import TestSupport

/// One packet's way from a device to the gateway, or back.
package struct Passage: Sendable {
    package enum Leg: Hashable, Sendable {
        case request(Operation)
        case reply(Operation)
        /// An event, by its topic.
        case event(String)
    }

    package let leg: Leg
    /// Of those that have taken this leg, from 1.
    package let number: Int
}

/// What becomes of a packet.
package enum Fate: Hashable, Sendable {
    case arrives
    /// It never arrives, though the broker has acknowledged it.
    case lost
    /// It arrives twice.
    case doubled
    /// It arrives later, and all that take its leg behind it do.
    case delayed(Duration)
    /// It arrives later, and those behind it overtake it.
    case overtaken(Duration)
    /// For a request: the broker does not take it, and says so.
    case turnedAway(isForLackOfRoom: Bool)
}

/// Decides what becomes of each packet.
package struct Weather: Sendable {
    package let fate: @Sendable (Passage) -> Fate

    package init(_ fate: @escaping @Sendable (Passage) -> Fate) { self.fate = fate }

    /// Everything arrives at once.
    package static let fair = Weather { _ in .arrives }

    /// Of all packets, this part each is lost, doubled, delayed and overtaken, at most by `longest`.
    package static func foul(
        _ part: Double, longest: ClosedRange<Int> = 1...30, _ generator: Seeded
    ) -> Weather {
        let generator = Shared(generator)
        return Weather { _ in
            generator.state.withLock { generator in
                let pause = Duration.milliseconds(generator.number(longest))
                switch Double.random(in: 0..<1, using: &generator) / part {
                case ..<1: return .lost
                case ..<2: return .doubled
                case ..<3: return .delayed(pause)
                case ..<4: return .overtaken(pause)
                default: return .arrives
                }
            }
        }
    }

    private final class Shared: Sendable {
        let state: Mutex<Seeded>
        init(_ generator: Seeded) { state = Mutex(generator) }
    }
}
