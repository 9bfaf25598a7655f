import ParleyProtocol
import ParleyRules
import PermissionOracle

/// «Who was blocked sees what a stranger with a spent request sees», and who was declined what the ignored sees.
///
/// For each state in which Bob has blocked Alice there is one in which Bob is a stranger who has not answered her one
/// message; hers, whom she follows and has blocked and who may write to her, is the same. Whatever Alice does then, and
/// however long she waits, she is answered the same in both, and may do the same. One thing may differ, for it is her own
/// past: a request of Bob's that she had accepted or declined she still accepts and declines with `ok`.
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
    package struct Revealed: Error, CustomStringConvertible, Sendable {
        package let description: String
    }

    /// - Parameter histories: one that leads to each state of two people.
    package mutating func check(_ histories: [[Event]]) throws(Revealed) {
        for history in histories {
            var world = World(people: 2, engine: engine)
            for event in history { _ = world.apply(event) }
            let contact = world.relationship(Self.alice, Self.bob).contact
            let (hers, his) = (contact[world.user(Self.alice)], contact[world.user(Self.bob)])
            if his.blocks {
                blocked += 1
                let twin = stranger(hers)
                guard observed(world) == observed(twin) else {
                    throw Revealed(history, [], observed(twin), observed(world))
                }
                try compare(world, twin, depth, history, [])
            } else if hers.request == .waiting {
                declined += 1
                var twin = world
                _ = twin.apply(.declines(Self.bob, of: Self.alice))
                try compare(twin, world, depth, history + [.declines(Self.bob, of: Self.alice)], [])
            }
        }
    }

    /// Bob as a stranger who has not answered Alice's message.
    private func stranger(_ hers: Contact.Side) -> World {
        var world = World(people: 2, engine: engine)
        var events: [Event] = [.writes(Self.alice, to: Self.bob)]
        if hers.follows { events.append(.follows(Self.alice, Self.bob)) }
        if hers.blocks { events.append(.blocks(Self.alice, Self.bob)) }
        if hers.privacy == .anyone { events.append(.opens(Self.alice, to: .anyone)) }
        for event in events { _ = world.apply(event) }
        return world
    }

    private func observed(_ world: World) -> MessagingPermission { world.permission(from: Self.alice, to: Self.bob) }

    private mutating func compare(
        _ world: World, _ twin: World, _ depth: Int, _ history: [Event], _ tried: [Event]
    ) throws(Revealed) {
        guard depth > 0 else { return }
        for event in trials {
            var (world, twin) = (world, twin)
            let isHerPast = isHerPast(event, world)
            let (answer, same) = (world.apply(event), twin.apply(event))
            compared += 1
            guard answer == (isHerPast ? .ok : same) else { throw Revealed(history, tried + [event], same, answer) }
            guard observed(world) == observed(twin) else {
                throw Revealed(history, tried + [event], observed(twin), observed(world))
            }
            try compare(world, twin, depth - 1, history, tried + [event])
        }
    }

    /// Whether she accepts or declines what she had decided upon, or been written freely, before.
    private func isHerPast(_ event: Event, _ world: World) -> Bool {
        switch event {
        case .accepts, .declines:
            switch world.relationship(Self.alice, Self.bob).contact[world.user(Self.bob)].request {
            case .accepted, .declined, .open: true
            case .waiting, .cancelled, nil: false
            }
        case .follows, .unfollows, .blocks, .unblocks, .opens, .creates, .writes, .passes: false
        }
    }
}

extension Secrecy.Revealed {
    fileprivate init(_ history: [Event], _ tried: [Event], _ expected: some Any, _ found: some Any) {
        let story = (history + tried).enumerated().map { "  \($0 + 1). \($1)" }
        description = (story + ["  Alice is told \(found), and would be told \(expected) else"]).joined(separator: "\n")
    }
}
