/// All that has happened between two people, in order, and what can be said of any moment by looking back.
///
/// Moment `n` is the one after `n` entries, and each question about it is answered from the entries before it. An entry
/// keeps what was said of it when it happened, and what each had asked the other by then.
package struct PairHistory: Sendable {
    package struct Entry: Sendable {
        package let event: Event
        /// Seconds since the beginning.
        package let time: Int
        package let answer: Answer
        /// Who made the conversation could write to the other without limit.
        package let isWithoutLimit: Bool
        /// What each has asked the other, after it.
        package internal(set) var askings = Askings()
    }

    package private(set) var entries: [Entry] = []

    package var now: Int { entries.count }

    mutating func append(_ entry: Entry) {
        var entry = entry
        entry.askings = askings(after: entry)
        entries.append(entry)
    }

    mutating func removeLast() { entries.removeLast() }

    // MARK: - Relations

    /// Whoever blocks does not follow; when the block ends they follow as they did, unless they have unfollowed
    /// meanwhile.
    package func follows(_ person: Person, at moment: Int) -> Bool {
        !blocks(person, at: moment) && wouldFollow(person, at: moment)
    }

    /// Follows, or would but for a block of their own.
    func wouldFollow(_ person: Person, at moment: Int) -> Bool {
        for entry in entries[..<moment].reversed() where entry.answer == .ok {
            switch entry.event {
            case .follows(person, _): return true
            case .unfollows(person, _): return false
            default: continue
            }
        }
        return false
    }

    package func blocks(_ person: Person, at moment: Int) -> Bool {
        for entry in entries[..<moment].reversed() {
            switch entry.event {
            case .blocks(person, _): return true
            case .unblocks(person, _): return false
            default: continue
            }
        }
        return false
    }

    package func openness(of person: Person, at moment: Int) -> Openness {
        for entry in entries[..<moment].reversed() {
            if case .opens(person, let openness) = entry.event { return openness }
        }
        return .followers
    }

    /// «Friend = mutual follow and no block.»
    package func areFriends(_ pair: Pair, at moment: Int) -> Bool {
        follows(pair.one, at: moment) && follows(pair.two, at: moment)
    }

    /// When a friendship of the two last ended: by an unfollowing, or by a block, which is one to the other.
    package func endOfFriendship(_ pair: Pair, until moment: Int) -> Int? {
        for index in (0..<moment).reversed() {
            switch entries[index].event {
            case .unfollows, .blocks: if areFriends(pair, at: index) { return entries[index].time }
            default: continue
            }
        }
        return nil
    }

    // MARK: - Requests

    /// What has become of what somebody has asked the other.
    package func asking(of sender: Person, at moment: Int) -> Asking {
        moment == 0 ? .nothing : entries[moment - 1].askings[sender]
    }

    /// One of the two has said yes to the other, and neither has taken it back.
    package func hasConsent(_ pair: Pair, at moment: Int) -> Bool {
        asking(of: pair.one, at: moment) == .accepted || asking(of: pair.two, at: moment) == .accepted
    }

    /// Whether `person` was asked by the other, and has neither accepted nor answered.
    package func isAsked(_ person: Person, _ pair: Pair, at moment: Int) -> Bool {
        switch asking(of: pair.other(than: person), at: moment) {
        case .waiting, .declined: true
        case .nothing, .accepted, .over, .hidden, .open: false
        }
    }
}

/// Two people, the one who asks first.
package struct Pair: Hashable, Sendable {
    package let one: Person
    package let two: Person

    package init(_ one: Person, _ two: Person) { (self.one, self.two) = (one, two) }

    package func other(than person: Person) -> Person { person == one ? two : one }
}
