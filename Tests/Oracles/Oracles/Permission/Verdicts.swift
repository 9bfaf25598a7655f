// The questions, each answered by looking back.

extension PairHistory {
    /// What `pair.one` may do toward `pair.two`, in the order that the words have: the caller's own block, whom the
    /// other lets write, mutual follow, accepted request, what is left of the allowance. Of a block of the other's
    /// there is nothing to be seen but that they do not follow, and let friends write and nobody else.
    package func verdict(_ pair: Pair, at time: Int, renewal: Int) -> Verdict {
        let (caller, other) = (pair.one, pair.two)
        if blocks(caller, at: now) { return .refused(.blockedByCaller) }
        if openness(of: other, at: now) == .anyone, !blocks(other, at: now) { return .allowed(.anyone) }
        if areFriends(pair, at: now) { return .allowed(.mutualFollow) }
        if hasConsent(pair, at: now) || asking(of: other, at: now).canBeAnswered { return .allowed(.acceptedRequest) }
        if asking(of: caller, at: now) != .nothing { return .refused(.requestLimit) }
        if let ended = endOfFriendship(pair, until: now), time - ended < renewal { return .refused(.requestLimit) }
        return .request
    }

    /// What comes of something that one of the two does to the other now.
    func outcome(of event: Event, at time: Int, renewal: Int) -> Entry {
        guard let actor = event.actor, let other = event.other else { preconditionFailure("no event of two people") }
        let pair = Pair(actor, other)
        var answer = Answer.ok
        var isWithoutLimit = false
        switch event {
        case .follows: if blocks(actor, at: now) { answer = .blocked }
        case .unfollows, .blocks, .unblocks, .opens, .passes: break
        case .creates: isWithoutLimit = verdict(pair, at: time, renewal: renewal).isAllowed
        case .writes: answer = Answer(to: verdict(pair, at: time, renewal: renewal))
        case .accepts: answer = answerToAccepting(pair)
        case .declines: answer = answerToDeclining(pair)
        }
        return Entry(event: event, time: time, answer: answer, isWithoutLimit: isWithoutLimit)
    }

    private func answerToAccepting(_ pair: Pair) -> Answer {
        guard hasConversation(at: now) else { return .notFound }
        switch asking(of: pair.two, at: now) {
        case .waiting, .open, .declined: return blocks(pair.one, at: now) ? .blocked : .ok
        // To do it again is fine, and so it is when following back has already opened the conversation.
        case .accepted: return .ok
        case .nothing: return areFriends(pair, at: now) ? .ok : .notFound
        case .over, .hidden: return .notFound
        }
    }

    /// There is something to say no to where one of the two has asked.
    private func answerToDeclining(_ pair: Pair) -> Answer {
        guard hasConversation(at: now) else { return .notFound }
        if asking(of: pair.one, at: now) != .nothing || areFriends(pair, at: now) { return .ok }
        switch asking(of: pair.two, at: now) {
        case .waiting, .open, .declined, .accepted: return .ok
        case .nothing, .over, .hidden: return .notFound
        }
    }

    /// Whether the conversation is `person`'s: in their lists, counts and topics.
    ///
    /// What last opened or closed it for them decides.
    package func isOpen(for person: Person, _ pair: Pair) -> Bool {
        let other = pair.other(than: person)
        for index in (0..<now).reversed() {
            let entry = entries[index]
            switch (entry.event, entry.answer) {
            case (.writes(person, _), .sent), (.writes(other, _), .sent(.allowed)), (.accepts(person, _), .ok):
                return true
            // Whoever had blocked the other was not asked.
            case (.writes(other, _), .sent(.request)): if !blocks(person, at: index) { return false }
            // Who was asked there has it only when they answer, or accept.
            case (.writes(person, _), _), (.creates(person, _), _):
                if !isAsked(person, pair, at: index) { return true }
            case (.creates(other, _), _): if entry.isWithoutLimit { return true }
            case (.follows, _), (.unblocks, _):
                if areFriends(pair, at: index + 1), !areFriends(pair, at: index), hasConversation(at: index) {
                    return true
                }
            default: continue
            }
        }
        return false
    }

    package func hasConversation(at moment: Int) -> Bool {
        entries[..<moment].contains { entry in
            switch entry.event {
            case .creates, .writes: true
            default: false
            }
        }
    }
}

extension Answer {
    /// What a message is answered.
    package init(to verdict: Verdict) {
        self =
            switch verdict {
            case .allowed, .request: .sent(verdict)
            case .refused(.oneself): .badRequest
            case .refused(.unknownUser): .notFound
            case .refused(.blockedByCaller): .blocked
            case .refused(.requestLimit): .requestLimit
            }
    }
}

extension History {
    /// What `caller` may do toward `other`; one who is not among the people is nobody.
    package func verdict(from caller: Person, to other: Person) -> Verdict {
        if caller == other { return .refused(.oneself) }
        guard other.index < people else { return .refused(.unknownUser) }
        return between(caller, other).verdict(Pair(caller, other), at: time, renewal: renewal)
    }

    package func isOpen(for person: Person, with other: Person) -> Bool {
        between(person, other).isOpen(for: person, Pair(person, other))
    }

    /// Whether the request of `sender` is in `recipient`'s list.
    package func isWaiting(from sender: Person, for recipient: Person) -> Bool {
        let history = between(sender, recipient)
        return history.asking(of: sender, at: history.now) == .waiting
    }

    package func areFriends(_ one: Person, _ two: Person) -> Bool {
        let history = between(one, two)
        return history.areFriends(Pair(one, two), at: history.now)
    }

    /// Whom `viewer` sees among those who follow them: who blocked them looks as if they had unfollowed.
    package func followers(of viewer: Person) -> [Person] {
        everyone.filter { person in
            let history = between(person, viewer)
            return person != viewer && history.follows(person, at: history.now)
                && !history.blocks(viewer, at: history.now)
        }
    }

    /// Whom `viewer` sees among those whom they follow: whom they blocked is hidden, who blocked them is not.
    package func following(of viewer: Person) -> [Person] {
        everyone.filter { person in
            let history = between(person, viewer)
            return person != viewer && history.follows(viewer, at: history.now)
                && !history.blocks(viewer, at: history.now)
        }
    }

    package func blocked(by person: Person) -> [Person] {
        everyone.filter { other in
            let history = between(person, other)
            return person != other && history.blocks(person, at: history.now)
        }
    }
}
