import Oracles

/// Every history of some people up to a length, none taken for another.
///
/// What is between two people depends on what they did to each other, on their settings and on time: of a history of
/// more people the rest can be left out. `History` is built so and the engine's `Contact` too, and with three people it
/// is seen to be true. So the histories of two, all of them, are the complete model for any number of people.
package struct OrderedHistories: Sendable {
    package let people: Int
    package let depth: Int
    package let engine: Engine
    private let alphabet: [Event]

    package init(people: Int = 2, depth: Int, engine: Engine = Engine()) {
        self.people = people
        self.depth = depth
        self.engine = engine
        alphabet = Alphabet(people: people).events
    }

    /// The beginnings that can be gone on from side by side.
    package var beginnings: [Event] { alphabet }

    /// Goes through all histories that begin so.
    package func run(from beginning: [Event] = []) throws(DisagreementError) -> Tally {
        var comparison = Comparison(people: people, engine: engine)
        for event in beginning {
            if let disagreement = comparison.step(event) { throw disagreement }
        }
        if beginning.count < depth { try descend(&comparison, depth - beginning.count) }
        return comparison.tally
    }

    private func descend(_ comparison: inout Comparison, _ depth: Int) throws(DisagreementError) {
        let world = comparison.world
        for event in alphabet {
            if let disagreement = comparison.step(event) { throw disagreement }
            if depth > 1 { try descend(&comparison, depth - 1) }
            comparison.undo(to: world)
        }
    }
}
