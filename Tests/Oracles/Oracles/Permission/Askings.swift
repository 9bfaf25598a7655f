/// What has become of somebody's asking to write to somebody else.
package enum Asking: Hashable, Sendable {
    /// Nothing was asked since the two were last friends.
    case nothing
    /// It waits for the other.
    case waiting
    /// Written freely, while anyone might.
    case open
    /// The other has said yes: accepted, or answered.
    case accepted
    /// The other has said no, before or after a yes. Both may be said again.
    case declined
    /// The asker has taken it back, or a block has ended it while it waited. Nothing comes of it any more.
    case over
    /// Written to somebody who blocks the asker. Nothing ever comes of it.
    case hidden

    /// Whether the other can say yes to it.
    package var canBeAnswered: Bool {
        switch self {
        case .waiting, .open, .declined: true
        case .nothing, .accepted, .over, .hidden: false
        }
    }
}

/// What each of two has asked the other, and what the blocks between them are to give back.
package struct Askings: Hashable, Sendable {
    private var asked: [Person: Asking] = [:]
    /// Those by whose blocks a yes was taken back that is said again when their block ends.
    private var restorers: Set<Person> = []

    package internal(set) subscript(person: Person) -> Asking {
        get { asked[person] ?? .nothing }
        set { asked[person] = newValue }
    }

    private var hasConsent: Bool { asked.values.contains(.accepted) }

    /// «No» to all that there is between the two: nothing that the other has asked, or was told yes to, holds any more.
    mutating func sayNo(by person: Person, to other: Person) {
        if hasConsent || self[other].canBeAnswered { self[other] = .declined }
        switch self[person] {
        case .nothing, .hidden: break
        case .waiting, .open, .accepted, .declined, .over: self[person] = .over
        }
        restorers.remove(person)
    }

    /// A block is a no, but for a yes that its end brings back; and what waited for the blocker is over.
    mutating func block(by person: Person, of other: Person) {
        let (waited, hadConsent) = (self[other] == .waiting, hasConsent)
        sayNo(by: person, to: other)
        if waited, !hadConsent { self[other] = .over }
        if hadConsent { restorers.insert(person) }
    }

    mutating func unblock(by person: Person, of other: Person) {
        if restorers.remove(person) != nil, self[other] == .declined { self[other] = .accepted }
        if self[other] == .hidden { self[other] = .over }
    }

    /// Friends need not ask: only what was said yes to is remembered.
    mutating func becomeFriends() { asked = asked.filter { $0.value == .accepted } }
}

extension PairHistory {
    /// What each has asked the other when this, too, has happened.
    func askings(after entry: Entry) -> Askings {
        var askings = entries.last?.askings ?? Askings()
        guard let actor = entry.event.actor, let other = entry.event.other else { return askings }
        switch (entry.event, entry.answer) {
        case (.writes, .sent(.request)): askings[actor] = blocks(other, at: now) ? .hidden : .waiting
        case (.writes, .sent(.allowed(.anyone))) where areFriends(Pair(actor, other), at: now): break
        case (.writes, .sent(.allowed(.anyone))), (.writes, .sent(.allowed(.acceptedRequest))):
            if askings[other].canBeAnswered {
                askings[other] = .accepted
            } else if entry.answer == .sent(.allowed(.anyone)), askings[actor] != .accepted {
                askings[actor] = .open
            }
        case (.accepts, .ok): if askings[other].canBeAnswered { askings[other] = .accepted }
        case (.declines, .ok): askings.sayNo(by: actor, to: other)
        case (.blocks, _): if !blocks(actor, at: now) { askings.block(by: actor, of: other) }
        case (.unblocks, _) where blocks(actor, at: now):
            askings.unblock(by: actor, of: other)
            if wouldFollow(actor, at: now), follows(other, at: now) { askings.becomeFriends() }
        case (.follows, .ok):
            if !follows(actor, at: now), follows(other, at: now) { askings.becomeFriends() }
        default: break
        }
        return askings
    }
}
