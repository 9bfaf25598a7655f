// The questions, each answered by looking back.

extension PairHistory {
    /// What `pair.one` may do toward `pair.two`, in the order that the words have: block in either direction, whom the
    /// other lets write, mutual follow, accepted request, what is left of the allowance.
    package func verdict(_ pair: Pair, at time: Int, renewal: Int) -> Verdict {
        let (caller, other) = (pair.one, pair.two)
        if blocks(caller, at: now) { return .refused(.blockedByCaller) }
        // Who was blocked sees what a stranger with a spent request sees.
        if blocks(other, at: now) { return .refused(.requestLimit) }
        if openness(of: other, at: now) == .anyone { return .allowed(.anyone) }
        if followEachOther(pair, at: now) { return .allowed(.mutualFollow) }
        if hasConsent(at: now) || canBeAnswered(other, pair, at: now) { return .allowed(.acceptedRequest) }
        if standing(of: caller, pair, at: now) != .nothing { return .refused(.requestLimit) }
        if let ended = lastUnfollowing(pair, until: now), time - ended < renewal { return .refused(.requestLimit) }
        return .request
    }

    /// What comes of something that one of the two does to the other now.
    func outcome(of event: Event, at time: Int, renewal: Int) -> Entry {
        guard let actor = event.actor, let other = event.other else { preconditionFailure("no event of two people") }
        let pair = Pair(actor, other)
        var answer = Answer.ok
        var isConsent = false
        var isWithoutLimit = false
        switch event {
        case .follows: if blocks(actor, at: now) { answer = .blocked }
        case .unfollows, .blocks, .unblocks, .opens, .passes: break
        case .creates: isWithoutLimit = verdict(pair, at: time, renewal: renewal).isAllowed
        case .writes:
            let verdict = verdict(pair, at: time, renewal: renewal)
            answer = Answer(to: verdict)
            isConsent = verdict.lets && !hasConsented(actor, at: now) && canBeAnswered(other, pair, at: now)
        case .accepts, .declines:
            let canBeAnswered = canBeAnswered(other, pair, at: now)
            // To do it again is fine, and so it is when following back has already opened the conversation.
            let isDone = hasConsented(actor, at: now) || areFriends(pair, at: now)
            if !hasConversation(at: now) || !canBeAnswered && !isDone { answer = .notFound }
            if case .accepts = event { isConsent = canBeAnswered }
        }
        return Entry(event: event, time: time, answer: answer, isConsent: isConsent, isWithoutLimit: isWithoutLimit)
    }

    /// Whether the conversation is `person`'s: in his lists, counts and topics.
    ///
    /// What last opened or closed it for him decides.
    package func isOpen(for person: Person, _ pair: Pair) -> Bool {
        let other = pair.other(than: person)
        for index in (0..<now).reversed() {
            let entry = entries[index]
            switch (entry.event, entry.answer) {
            case (.writes(person, _), .sent), (.writes(other, _), .sent(.allowed)), (.accepts(person, _), .ok):
                return true
            case (.writes(other, _), .sent(.request)): return false
            // Who was asked there has it only when he answers, or accepts.
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
        return history.isWaiting(sender, Pair(sender, recipient), at: history.now)
    }

    package func areFriends(_ one: Person, _ two: Person) -> Bool {
        let history = between(one, two)
        return history.areFriends(Pair(one, two), at: history.now)
    }

    /// Whom `viewer` sees among those who follow him: who blocked him looks as if he had unfollowed.
    package func followers(of viewer: Person) -> [Person] {
        everyone.filter { person in
            let history = between(person, viewer)
            return person != viewer && history.follows(person, at: history.now)
                && !history.blocks(viewer, at: history.now) && !history.blocks(person, at: history.now)
        }
    }

    /// Whom `viewer` sees among those whom he follows: whom he blocked is hidden, who blocked him is not.
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
