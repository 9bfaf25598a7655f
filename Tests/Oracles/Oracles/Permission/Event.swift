/// One of the few people of a history.
package struct Person: Hashable, Sendable, CustomStringConvertible {
    package let index: Int

    package init(_ index: Int) { self.index = index }

    private static let names = ["Alice", "Bob", "Carol", "Dave", "Erin"]

    package var description: String { index < Self.names.count ? Self.names[index] : "Person \(index)" }
}

/// Who may write to somebody without being asked back: the setting `message_privacy`.
package enum Openness: Hashable, Sendable { case anyone, followers }

/// What somebody does, tries to do, or what happens to everybody.
package enum Event: Hashable, Sendable {
    case follows(Person, Person)
    case unfollows(Person, Person)
    case blocks(Person, Person)
    case unblocks(Person, Person)
    case opens(Person, to: Openness)
    /// Makes the direct conversation, or finds it, and writes nothing.
    case creates(Person, with: Person)
    /// Writes one message into the direct conversation, which is made first if it is not theirs.
    case writes(Person, to: Person)
    /// Accepts what the other has asked for with a message request.
    case accepts(Person, of: Person)
    case declines(Person, of: Person)
    case passes(seconds: Int)

    /// Who does it; `nil` for time.
    package var actor: Person? {
        switch self {
        case .follows(let actor, _), .unfollows(let actor, _), .blocks(let actor, _), .unblocks(let actor, _),
            .opens(let actor, _), .creates(let actor, _), .writes(let actor, _), .accepts(let actor, _),
            .declines(let actor, _):
            actor
        case .passes: nil
        }
    }

    /// Toward whom it is done; `nil` for a setting and for time.
    package var other: Person? {
        switch self {
        case .follows(_, let other), .unfollows(_, let other), .blocks(_, let other), .unblocks(_, let other),
            .creates(_, let other), .writes(_, let other), .accepts(_, let other), .declines(_, let other):
            other
        case .opens, .passes: nil
        }
    }
}

extension Event: CustomStringConvertible {
    package var description: String {
        switch self {
        case .follows(let actor, let other): "\(actor) follows \(other)"
        case .unfollows(let actor, let other): "\(actor) unfollows \(other)"
        case .blocks(let actor, let other): "\(actor) blocks \(other)"
        case .unblocks(let actor, let other): "\(actor) unblocks \(other)"
        case .opens(let actor, .anyone): "\(actor) lets anyone write"
        case .opens(let actor, .followers): "\(actor) lets followers write"
        case .creates(let actor, let other): "\(actor) opens a conversation with \(other)"
        case .writes(let actor, let other): "\(actor) writes to \(other)"
        case .accepts(let actor, let other): "\(actor) accepts \(other)'s request"
        case .declines(let actor, let other): "\(actor) declines \(other)'s request"
        case .passes(let seconds):
            seconds % 86_400 == 0 ? "\(seconds / 86_400) days pass" : "\(seconds) seconds pass"
        }
    }
}
