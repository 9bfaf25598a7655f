import Oracles

/// Everything that can happen among so many people.
package struct Alphabet: Sendable {
    package let events: [Event]

    private static let day = 86_400

    /// - Parameter people: every one of them does everything to every other; time passes below what renews an
    ///   allowance, and exactly as long.
    package init(people: Int) {
        let everyone = (0..<people).map(Person.init)
        let pairs = everyone.flatMap { one in everyone.filter { $0 != one }.map { (one, $0) } }
        let deeds: [(Person, Person) -> Event] = [
            Event.follows, Event.unfollows, Event.blocks, Event.unblocks,
            { .creates($0, with: $1) }, { .writes($0, to: $1) }, { .accepts($0, of: $1) }, { .declines($0, of: $1) },
        ]
        events =
            pairs.flatMap { pair in deeds.map { $0(pair.0, pair.1) } }
            + everyone.flatMap { [.opens($0, to: .anyone), .opens($0, to: .followers)] }
            + [.passes(seconds: 10 * Self.day), .passes(seconds: 30 * Self.day)]
    }
}
