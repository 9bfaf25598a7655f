import ParleyProtocol
import ParleyRules
import Oracles

/// A few people as the gateway has them: what is between each two, and the clock.
package struct World: Sendable {
    package let people: Int
    package let engine: Engine
    package private(set) var time = 0
    private var relationships: [Relationship]

    /// Not in the order of the people, so that a contact has to tell its two sides apart by more than that. The last is
    /// nobody, however many the people are.
    private static let users = ["bob", "alice", "erin", "carol", "dave", "nobody"].map(UserID.init(validated:))
    private static let start: Int64 = 1_768_467_600_000

    package init(people: Int, engine: Engine = Engine()) {
        self.people = people
        self.engine = engine
        relationships = (0..<people * people).map { slot in
            let (one, two) = (slot / people, slot % people)
            let other = two == one ? (one + 1) % people : two
            return Relationship(Contact(strangers: Self.users[one], Self.users[other]), openFor: nil)
        }
    }

    private func slot(_ one: Person, _ two: Person) -> Int {
        min(one.index, two.index) * people + max(one.index, two.index)
    }

    package var now: Timestamp { Timestamp(milliseconds: Self.start + Int64(time) * 1000) }

    package func user(_ person: Person) -> UserID { Self.users[person.index] }

    package func relationship(_ one: Person, _ two: Person) -> Relationship { relationships[slot(one, two)] }

    /// - Parameter other: one who is not among the people is unknown.
    package func permission(from caller: Person, to other: Person) -> MessagingPermission {
        let isThere = caller != other && other.index < people
        return engine.decide(
            user(caller), user(other), isThere ? relationship(caller, other).contact : nil, now, Engine.renewal)
    }

    /// Whether a request of `sender`'s waits for `recipient`.
    package func isWaiting(from sender: Person, for recipient: Person) -> Bool {
        relationship(sender, recipient).contact[user(sender)].request == .waiting
    }

    /// Whether the direct conversation with `other` is `person`'s.
    package func isOpen(for person: Person, with other: Person) -> Bool {
        relationship(person, other).openFor?.contains(user(person)) ?? false
    }

    /// Lets it happen.
    ///
    /// - Returns: what the one who did it is answered.
    package mutating func apply(_ event: Event) -> Answer {
        switch event {
        case .follows(let actor, let other): return perform(.follow, actor, other)
        case .unfollows(let actor, let other): return perform(.unfollow, actor, other)
        case .blocks(let actor, let other): return perform(.block, actor, other)
        case .unblocks(let actor, let other): return perform(.unblock, actor, other)
        case .creates(let actor, let other): return perform(.create, actor, other)
        case .accepts(let actor, let other): return perform(.accept, actor, other)
        case .declines(let actor, let other): return perform(.decline, actor, other)
        case .writes(let actor, let other):
            if !relationship(actor, other).isAddressable(by: user(actor)) {
                let made = perform(.create, actor, other)
                if made != .ok { return made }
            }
            return write(from: actor, to: other)
        case .opens(let actor, let openness):
            for index in 0..<people where index != actor.index {
                let answer = perform(.setPrivacy(openness == .anyone ? .anyone : .followers), actor, Person(index))
                if answer != .ok { return answer }
            }
            return .ok
        case .passes(let seconds):
            time += seconds
            return .ok
        }
    }

    private mutating func perform(_ act: Relationship.Act, _ actor: Person, _ other: Person) -> Answer {
        do throws(Rejection) {
            try engine.perform(&relationships[slot(actor, other)], act, user(actor), now)
            return .ok
        } catch {
            return Answer(to: error)
        }
    }

    /// As the gateway takes a message: in a conversation in which its sender may write at all, asks whether they may,
    /// and notes what follows.
    private mutating func write(from actor: Person, to other: Person) -> Answer {
        guard relationship(actor, other).isAddressable(by: user(actor)) else { return .notFound }
        let permission = permission(from: actor, to: other)
        if let rejection = permission.rejection { return Answer(to: rejection) }
        engine.wrote(&relationships[slot(actor, other)], user(actor), permission)
        return .sent(Verdict(permission))
    }
}

extension Verdict {
    /// In the oracle's words.
    package init(_ permission: MessagingPermission) {
        self =
            switch permission {
            case .allowed(.anyone): .allowed(.anyone)
            case .allowed(.mutualFollow): .allowed(.mutualFollow)
            case .allowed(.acceptedRequest): .allowed(.acceptedRequest)
            case .request: .request
            case .refused(.oneself): .refused(.oneself)
            case .refused(.unknownUser): .refused(.unknownUser)
            case .refused(.blocked): .refused(.blockedByCaller)
            case .refused(.requestLimit): .refused(.requestLimit)
            }
    }
}

extension Answer {
    /// In the oracle's words; a code that it has no word for is none that may stand here.
    package init(to rejection: Rejection) {
        switch rejection.code {
        case .badRequest: self = .badRequest
        case .notFound: self = .notFound
        case .blocked: self = .blocked
        case .requestLimit: self = .requestLimit
        case .unauthenticated, .forbidden, .conflict, .tooLarge, .rateLimited, .groupFull, .alreadyInGroup,
            .inviteInvalid, .weekClosed, .staleDevices, .unavailable, .internal:
            preconditionFailure("the rules refuse with \(rejection.code)")
        }
    }
}

extension MessagingPermission.Action {
    /// In the engine's words.
    package init(_ action: Action) {
        self =
            switch action {
            case .message: .message
            case .reaction: .reaction
            case .edit: .edit
            case .typing: .typing
            case .receipt: .receipt
            case .invitation: .invitation
            case .challenge: .challenge
            }
    }
}
