/// All that has happened between two people, in order, and what can be said of any moment by looking back.
///
/// There is no state that is carried along: moment `n` is the one after `n` entries, and each question about it is
/// answered from the entries before it. An entry keeps what was said of it when it happened.
package struct PairHistory: Sendable {
    package struct Entry: Sendable {
        package let event: Event
        /// Seconds since the beginning.
        package let time: Int
        package let answer: Answer
        /// By this the one who did it said yes to what the other had written: he accepted it, or was the first to answer.
        package let isConsent: Bool
        /// Who made the conversation could write to the other without limit.
        package let isWithoutLimit: Bool
    }

    package internal(set) var entries: [Entry] = []

    /// What a message of somebody's to the other has come to.
    package enum Standing: Hashable, Sendable { case nothing, waiting, declined, cancelled, open }

    package var now: Int { entries.count }

    // MARK: - Relations

    package func follows(_ person: Person, at moment: Int) -> Bool {
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

    package func followEachOther(_ pair: Pair, at moment: Int) -> Bool {
        follows(pair.one, at: moment) && follows(pair.two, at: moment)
    }

    /// «Friend = mutual follow and no block.»
    package func areFriends(_ pair: Pair, at moment: Int) -> Bool {
        followEachOther(pair, at: moment) && !blocks(pair.one, at: moment) && !blocks(pair.two, at: moment)
    }

    /// The last moment at which they were friends: nothing that was asked before it counts any longer.
    package func lastFriendship(_ pair: Pair, until moment: Int) -> Int? {
        (0...moment).last { areFriends(pair, at: $0) }
    }

    /// When one of two who followed each other last unfollowed the other.
    ///
    /// The words leave open what an unfollowing is worth while a block hides the friendship. It counts: to block, unfollow
    /// and unblock somebody must not let him ask again at once.
    package func lastUnfollowing(_ pair: Pair, until moment: Int) -> Int? {
        for index in (0..<moment).reversed() {
            if case .unfollows = entries[index].event, followEachOther(pair, at: index) { return entries[index].time }
        }
        return nil
    }

    // MARK: - Requests

    /// What the messages that `sender` has written have come to, as far as they were not written among friends.
    package func standing(of sender: Person, _ pair: Pair, at moment: Int) -> Standing {
        let since = lastFriendship(pair, until: moment) ?? 0
        var standing = Standing.nothing
        for index in since..<moment {
            let entry = entries[index]
            guard case .writes(sender, _) = entry.event, case .sent(let verdict) = entry.answer else { continue }
            switch verdict {
            // To a friend one writes as a friend, whomever else the friend lets write; and an answer asks for nothing.
            case .allowed(.anyone): if !areFriends(pair, at: index), !entry.isConsent { standing = .open }
            case .request: standing = fate(ofRequestAt: index, until: moment)
            case .allowed(.mutualFollow), .allowed(.acceptedRequest), .refused: continue
            }
        }
        return standing
    }

    /// What became of a request first: declined by the other, cancelled by a block of either, or neither yet.
    private func fate(ofRequestAt index: Int, until moment: Int) -> Standing {
        for entry in entries[index..<moment] {
            switch entry.event {
            case .declines where entry.answer == .ok && entry.event.actor != entries[index].event.actor:
                return .declined
            case .blocks: return .cancelled
            default: continue
            }
        }
        return .waiting
    }

    /// Whether one of the two has ever said yes to the other: that is never taken back.
    package func hasConsent(at moment: Int) -> Bool { entries[..<moment].contains(where: \.isConsent) }

    package func hasConsented(_ person: Person, at moment: Int) -> Bool {
        entries[..<moment].contains { $0.isConsent && $0.event.actor == person }
    }

    /// Whether something of `sender`'s is there that the other can say yes to.
    package func canBeAnswered(_ sender: Person, _ pair: Pair, at moment: Int) -> Bool {
        switch standing(of: sender, pair, at: moment) {
        case .waiting, .declined, .open: true
        case .nothing, .cancelled: false
        }
    }

    /// Whether `person` was asked by the other, and has neither accepted nor answered.
    package func isAsked(_ person: Person, _ pair: Pair, at moment: Int) -> Bool {
        guard !hasConsented(person, at: moment) else { return false }
        switch standing(of: pair.other(than: person), pair, at: moment) {
        case .waiting, .declined: return true
        case .nothing, .cancelled, .open: return false
        }
    }

    /// Whether a request of `sender`'s is among those that wait for the other.
    package func isWaiting(_ sender: Person, _ pair: Pair, at moment: Int) -> Bool {
        !hasConsent(at: moment) && standing(of: sender, pair, at: moment) == .waiting
    }
}

/// Two people, the one who asks first.
package struct Pair: Hashable, Sendable {
    package let one: Person
    package let two: Person

    package init(_ one: Person, _ two: Person) { (self.one, self.two) = (one, two) }

    package func other(than person: Person) -> Person { person == one ? two : one }
}
