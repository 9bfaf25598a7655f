import ParleyRules
import Oracles

/// The engine beside the oracle, after the same history.
package struct Comparison: Sendable {
    package private(set) var history: History
    package private(set) var world: World
    package var tally = Tally()

    package init(people: Int, engine: Engine = Engine()) {
        history = History(people: people)
        world = World(people: people, engine: engine)
    }

    /// Lets it happen on both sides and compares all that it can have changed.
    package mutating func step(_ event: Event) -> DisagreementError? {
        let expected = history.append(event)
        let found = world.apply(event)
        tally.noteEvent()
        if expected != found { return DisagreementError(self, "answered to the last", expected, found) }
        return compare(after: event)
    }

    /// Takes back the last step; `world` is what stood before it.
    package mutating func undo(to world: World) {
        history.undo()
        self.world = world
    }

    private mutating func compare(after event: Event) -> DisagreementError? {
        switch (event.actor, event.other) {
        case (let actor?, let other?): return compare(actor, other)
        case (let actor?, nil):
            for index in 0..<history.people where index != actor.index {
                if let disagreement = compare(actor, Person(index)) { return disagreement }
            }
            return nil
        case (nil, _): return compareAll()
        }
    }

    /// Compares every two, everybody with themselves and with one whom there is not.
    package mutating func compareAll() -> DisagreementError? {
        for one in 0..<history.people {
            for nobody in [Person(one), Person(history.people)] {
                if let disagreement = compareVerdict(from: Person(one), to: nobody) { return disagreement }
            }
            for two in one + 1..<history.people {
                if let disagreement = compare(Person(one), Person(two)) { return disagreement }
            }
        }
        return nil
    }

    private mutating func compare(_ one: Person, _ two: Person) -> DisagreementError? {
        compare(from: one, to: two) ?? compare(from: two, to: one)
    }

    private mutating func compare(from caller: Person, to other: Person) -> DisagreementError? {
        if let disagreement = compareVerdict(from: caller, to: other) { return disagreement }
        let waits = history.isWaiting(from: caller, for: other)
        let isListed = world.isWaiting(from: caller, for: other)
        if waits != isListed {
            return DisagreementError(self, "a request of \(caller) waits for \(other)", waits, isListed)
        }
        let isOpen = history.isOpen(for: caller, with: other)
        let isFound = world.isOpen(for: caller, with: other)
        return isOpen == isFound
            ? nil : DisagreementError(self, "the conversation with \(other) is \(caller)'s", isOpen, isFound)
    }

    private mutating func compareVerdict(from caller: Person, to other: Person) -> DisagreementError? {
        let expected = history.verdict(from: caller, to: other)
        let permission = world.permission(from: caller, to: other)
        let found = Verdict(permission)
        tally.note(expected)
        if expected != found { return DisagreementError(self, "\(caller) to \(other)", expected, found) }
        for action in Action.allCases {
            let permitted = world.engine.permits(permission, MessagingPermission.Action(action))
            if expected.permits(action) != permitted {
                return DisagreementError(self, "\(caller) to \(other), \(action)", expected.permits(action), permitted)
            }
        }
        return nil
    }
}

/// A history after which the engine says something else than the oracle.
package struct DisagreementError: Error, CustomStringConvertible, Sendable {
    package let people: Int
    package let events: [Event]
    private let what: String

    init(_ comparison: Comparison, _ question: String, _ expected: some Any, _ found: some Any) {
        people = comparison.history.people
        events = comparison.history.events
        what = "\(question): the words say \(expected), the engine \(found)"
    }

    package var description: String {
        (events.enumerated().map { "  \($0 + 1). \($1)" } + ["  \(what)"]).joined(separator: "\n")
    }
}
