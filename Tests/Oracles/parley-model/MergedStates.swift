import ParleyProtocol
import ParleyRules
import Oracles

/// Every state that some people can bring about, each with every event, state by state: histories after which the
/// engine holds the same are gone on from once.
///
/// Merging is sound for the engine, which knows its state alone. For the oracle, which knows the history, it is not by
/// itself: a shorter history could stand for another that the oracle would go on from otherwise. That is what
/// `OrderedHistories` excludes, without merging, for all histories of a pair of the same length. What is shown here
/// beside it: that nothing which two people do shows between others, and, without end of depth, the states of a pair.
package struct MergedStates {
    package let people: Int
    package let engine: Engine
    package private(set) var tally = Tally()
    package private(set) var states: [State] = []
    private var seen: Set<UInt64> = []
    private let alphabet: [Event]

    /// A state, as the event that led to it from an earlier one.
    package struct State: Sendable {
        fileprivate let parent: Int
        fileprivate let event: Event?
    }

    package init(people: Int, engine: Engine = Engine()) {
        self.people = people
        self.engine = engine
        alphabet = Alphabet(people: people).events
    }

    /// - Parameter depth: how many events at most; `nil` for as many as lead to new states.
    package mutating func run(depth: Int? = nil) throws(DisagreementError) {
        states = [State(parent: -1, event: nil)]
        seen = [World(people: people, engine: engine).digest]
        var level = 0..<1
        var done = 0
        while !level.isEmpty, depth.map({ done < $0 }) ?? true {
            for state in level { try expand(state) }
            level = level.upperBound..<states.count
            done += 1
        }
    }

    private mutating func expand(_ state: Int) throws(DisagreementError) {
        var comparison = Comparison(people: people, engine: engine)
        for event in events(to: state) {
            if let disagreement = comparison.step(event) { throw disagreement }
        }
        comparison.tally = Tally()
        let world = comparison.world
        for event in alphabet {
            if let disagreement = comparison.step(event) { throw disagreement }
            if seen.insert(comparison.world.digest).inserted {
                states.append(State(parent: state, event: event))
                if let disagreement = comparison.compareAll() { throw disagreement }
            }
            comparison.undo(to: world)
        }
        tally += comparison.tally
    }

    /// A shortest history that leads there.
    package func events(to state: Int) -> [Event] {
        var events: [Event] = []
        var state = state
        while state >= 0 {
            if let event = states[state].event { events.append(event) }
            state = states[state].parent
        }
        return events.reversed()
    }
}

extension World {
    /// All that the engine holds of up to three people, as far as it can matter: equal for two worlds in which all goes
    /// on alike. Times of the model's alphabet are multiples of ten days, and from thirty on all are the same.
    fileprivate var digest: UInt64 {
        precondition(people <= 3)
        var digest: UInt64 = 0
        for one in 0..<people {
            for two in one + 1..<people {
                let relationship = relationship(Person(one), Person(two))
                let contact = relationship.contact
                for user in [user(Person(one)), user(Person(two))] {
                    let side = contact[user]
                    let flags: UInt64 = (side.privacy == .anyone ? 1 : 0) | (side.stance.digest << 1)
                    let isOpen: UInt64 = relationship.openFor?.contains(user) == true ? 1 : 0
                    digest = digest << 8 | isOpen << 7 | flags << 3 | UInt64(side.request.digest)
                }
                digest = digest << 4 | (relationship.openFor == nil ? 0 : 8) | UInt64(age(of: contact))
            }
        }
        return digest
    }

    /// How many tens of days ago a friendship ended; 4 for never or long ago, which are the same.
    private func age(of contact: Contact) -> Int {
        guard let end = contact.friendsUntil else { return 4 }
        let days = (now.milliseconds - end.milliseconds) / 86_400_000
        return days >= 30 ? 4 : Int(days / 10)
    }
}

extension Contact.Stance {
    fileprivate var digest: UInt64 {
        switch self {
        case .neutral: 0
        case .follows: 1
        case .blocks(let restoration): 2 | (restoration.follow ? 1 : 0) | (restoration.acceptance ? 4 : 0)
        }
    }
}

extension MessageRequestState? {
    fileprivate var digest: Int {
        switch self {
        case nil: 0
        case .waiting: 1
        case .accepted: 2
        case .declined: 3
        case .cancelled: 4
        case .open: 5
        case .hidden: 6
        }
    }
}
