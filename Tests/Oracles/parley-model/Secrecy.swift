import ParleyProtocol
import ParleyRules
import Oracles

/// Whoever was blocked sees the world in which the other had instead unfollowed them, let followers write, and declined
/// or taken back what was accepted; and whoever was declined what the ignored see.
///
/// In each state of Alice and Bob, Bob blocks Alice, and in a twin of it does those acts. Whatever Alice does then, and
/// however long Alice waits, the answers are the same in both, may do the same, and has the same conversation and the
/// same requests. Then Bob ends the block, and in the twin follows and accepts again as before: again Alice sees the
/// same.
package struct Secrecy: Sendable, CustomStringConvertible {
    package let engine: Engine
    /// How much Alice tries.
    package let depth: Int
    package private(set) var blocked = 0
    package private(set) var declined = 0
    package private(set) var compared = 0

    package var description: String {
        "\(blocked.grouped) states with a block, \(declined.grouped) with a request declined, "
            + "\(compared.grouped) answers compared"
    }

    private static let alice = Person(0)
    private static let bob = Person(1)
    private let trials: [Event]

    package init(engine: Engine = Engine(), depth: Int) {
        self.engine = engine
        self.depth = depth
        trials = Alphabet(people: 2).events.filter { $0.actor != Self.bob }
    }

    /// What Alice can find out.
    package struct RevealedError: Error, CustomStringConvertible, Sendable {
        package let description: String
    }

    /// - Parameter histories: one that leads to each state of two people.
    package mutating func check(_ histories: [[Event]]) throws(RevealedError) {
        for history in histories {
            var world = World(people: 2, engine: engine)
            for event in history { _ = world.apply(event) }
            let contact = world.relationship(Self.alice, Self.bob).contact
            let (alices, bobs) = (contact[world.user(Self.alice)], contact[world.user(Self.bob)])
            if !bobs.blocks {
                blocked += 1
                try compare(world, after: history, restoring: bobs, isAccepted: contact.isAccepted)
            }
            if !bobs.blocks, alices.request == .waiting {
                declined += 1
                let declines = Event.declines(Self.bob, of: Self.alice)
                let worlds = Worlds(world, with: [declines], other: world, with: [])
                try compare(worlds, depth, history + [declines])
            }
        }
    }

    private mutating func compare(
        _ world: World, after history: [Event], restoring bobs: Contact.Side, isAccepted: Bool
    ) throws(RevealedError) {
        let (alice, bob) = (Self.alice, Self.bob)
        var worlds = Worlds(
            world, with: [.blocks(bob, alice)], other: world,
            with: [.unfollows(bob, alice), .opens(bob, to: .followers), .declines(bob, of: alice)])
        var restoring: [Event] = [.opens(bob, to: bobs.privacy == .anyone ? .anyone : .followers)]
        if isAccepted { restoring.append(.accepts(bob, of: alice)) }
        if bobs.follows { restoring.append(.follows(bob, alice)) }
        worlds.endings = ([.unblocks(bob, alice)], restoring)
        try compare(worlds, depth, history + [.blocks(bob, alice)])
    }

    /// Two worlds that Alice must not be able to tell apart, and what ends their difference.
    private struct Worlds {
        var one: World
        var other: World
        var endings: (one: [Event], other: [Event]) = ([], [])

        init(_ one: World, with acts: [Event], other: World, with otherActs: [Event]) {
            self.one = one
            self.other = other
            for event in acts { _ = self.one.apply(event) }
            for event in otherActs { _ = self.other.apply(event) }
        }

        var ended: Worlds {
            Worlds(one, with: endings.one, other: other, with: endings.other)
        }
    }

    /// All that Alice can see of Bob without doing anything.
    private struct Sight: Hashable, CustomStringConvertible {
        let permission: MessagingPermission
        let isFollowed: Bool
        let isAsked: Bool
        let isOpen: Bool
        /// Whether Alice is told that Bob's keys have changed.
        let hearsOfKeys: Bool

        init(_ world: World) {
            let (alice, bob) = (Secrecy.alice, Secrecy.bob)
            permission = world.permission(from: alice, to: bob)
            isFollowed = world.relationship(alice, bob).contact[world.user(bob)].follows
            isAsked = world.isWaiting(from: bob, for: alice)
            isOpen = world.isOpen(for: alice, with: bob)
            hearsOfKeys = world.relationship(alice, bob).hearsOfKeys(
                world.user(alice), now: world.now, renewal: Engine.renewal)
        }

        var description: String {
            "\(permission)" + (isFollowed ? ", followed" : "") + (isAsked ? ", asked" : "") + (isOpen ? ", open" : "")
                + (hearsOfKeys ? ", told of keys" : "")
        }
    }

    private mutating func compare(_ worlds: Worlds, _ depth: Int, _ history: [Event]) throws(RevealedError) {
        try compare(worlds, history)
        // What costs a look at a stranger's keys does not once the block has ended: the conversation stays theirs.
        let (one, other) = (worlds.one, worlds.other)
        let shares = [one, other].map { world in
            world.relationship(Self.alice, Self.bob).isShared(seenBy: world.user(Self.alice))
        }
        guard shares[0] == shares[1] else { throw RevealedError(history, shares[1], shares[0]) }
        try compare(worlds.ended, history + worlds.endings.one)
        guard depth > 0 else { return }
        for event in trials {
            var next = worlds
            let (answer, same) = (next.one.apply(event), next.other.apply(event))
            compared += 1
            guard answer == same else { throw RevealedError(history + [event], same, answer) }
            try compare(next, depth - 1, history + [event])
        }
    }

    private func compare(_ worlds: Worlds, _ history: [Event]) throws(RevealedError) {
        let (one, other) = (Sight(worlds.one), Sight(worlds.other))
        guard one == other else { throw RevealedError(history, other, one) }
    }
}

extension Secrecy.RevealedError {
    fileprivate init(_ history: [Event], _ expected: some Any, _ found: some Any) {
        let story = history.enumerated().map { "  \($0 + 1). \($1)" }
        description = (story + ["  Alice is told \(found), and would be told \(expected) else"]).joined(separator: "\n")
    }
}
