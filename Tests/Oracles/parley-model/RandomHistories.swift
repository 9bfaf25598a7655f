import Oracles
import RepeatableRandom

/// Histories of three to five people that nobody has thought of, each from a number of its own.
package struct RandomHistories: Sendable {
    package let seed: UInt64
    package let length: Int
    package let engine: Engine

    package init(seed: UInt64, length: Int = 30, engine: Engine = Engine()) {
        self.seed = seed
        self.length = length
        self.engine = engine
    }

    /// Lets the histories of these numbers happen.
    ///
    /// - Throws: the first disagreement, by a history from which nothing can be left out.
    package func run(_ numbers: Range<Int>) throws(DisagreementError) -> Tally {
        var tally = Tally()
        for number in numbers {
            var random = SplitMix64(seed: seed &+ UInt64(number) &* 0xD134_2543_DE82_EF95)
            let people = Int.random(in: 3...5, using: &random)
            let events = (0..<length).map { _ in Event.random(among: people, using: &random) }
            var comparison = Comparison(people: people, engine: engine)
            if let disagreement = comparison.run(events) { throw disagreement.shrunk(engine: engine) }
            tally += comparison.tally
        }
        return tally
    }
}

extension Comparison {
    /// Lets all of it happen, and compares every two at the end.
    package mutating func run(_ events: [Event]) -> DisagreementError? {
        for event in events {
            if let disagreement = step(event) { return disagreement }
        }
        return compareAll()
    }
}

extension DisagreementError {
    /// A history as short as leaving out can make it, after which engine and oracle still disagree.
    package func shrunk(engine: Engine) -> DisagreementError {
        var shortest = self
        var index = shortest.events.count - 1
        while index >= 0 {
            var events = shortest.events
            events.remove(at: index)
            var comparison = Comparison(people: people, engine: engine)
            if let disagreement = comparison.run(events) {
                shortest = disagreement
                index = shortest.events.count
            }
            index -= 1
        }
        return shortest
    }
}
