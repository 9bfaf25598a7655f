import ParleyProtocol
import ParleyRules
import ParleyStore

extension CreateChallenge: OnceHandler {
    func first(in context: DecisionContext) throws -> (digest: [UInt8]?, outcome: () throws -> Challenge)? {
        let challenges = try context.facts.challenges
        guard let digest = try challenges.digest(of: id), let challenge = try challenges.challenge(id) else {
            return nil
        }
        return (digest, { try context.object(of: challenge) })
    }

    func decideNew(in context: DecisionContext) throws -> (challenge: ChallengeState, conversation: ConversationKey) {
        let caller = context.sender.user
        let conversation = try context.visibleConversation(conversation, to: caller)
        try CreateChallengeRule.check(
            self, by: caller, facts: try context.challengeFacts(with: challenged, in: conversation),
            mostOpen: context.settings.openChallenges, now: context.now, renewal: context.settings.requestRenewal)
        try context.checkRoom(for: StorageCost.challenge, of: caller)
        try context.charge(.challenges)
        let terms = ChallengeState.Terms(
            id: id, conversation: self.conversation, challenger: caller, challenged: challenged, type: type,
            target: target, durationDays: durationDays, createdAt: context.now)
        return (ChallengeState(terms, steady: context.steady), conversation.key)
    }

    func make(
        _ new: (challenge: ChallengeState, conversation: ConversationKey), digest: [UInt8], in context: ApplyContext
    ) throws(StoreError) -> Challenge {
        let challenge = new.challenge
        try context.charge(StorageCost.challenge, to: challenge.terms.challenger)
        let due = challenge.nextLook(now: context.now, steady: context.steady)
        try context.transaction.challenges.insert(
            challenge, in: new.conversation, digest: digest, dueAt: due, steady: context.steady)
        return try challenge.announce(dueAt: due, in: context)
    }
}

/// Carries out `challenges/accept`, `decline` and `cancel`.
protocol ChallengeActHandler: ChallengeRequest, CommandHandler where Decision == ChallengeActDecision {
    /// The act, with all that the state of the challenge needs for it.
    func act(_ challenge: StoredChallenge, in context: DecisionContext) throws -> ChallengeState.Act

    /// Why the caller may not; asked only if the act would change something.
    func objection(_ challenge: ChallengeState, in context: DecisionContext) throws -> Rejection?
}

enum ChallengeActDecision {
    /// It was done before.
    case repeated(Challenge)
    case update(StoredChallenge)
}

extension ChallengeActHandler {
    func objection(_ challenge: ChallengeState, in context: DecisionContext) throws -> Rejection? { nil }

    func decide(in context: DecisionContext) throws -> ChallengeActDecision {
        var stored = try context.facts.visibleChallenge(challenge, to: context.sender.user)
        let act = try act(stored, in: context)
        let hasNews = try stored.state.perform(
            act, by: context.sender.user, steady: context.steady, objection: try objection(stored.state, in: context))
        guard hasNews else { return .repeated(try context.object(of: stored)) }
        // The whole first day counts.
        if let progress = try context.facts.progress(in: stored.state, context.settings) {
            _ = stored.state.advance(now: context.now, steady: context.steady, standing: .together(progress))
        }
        return .update(stored)
    }

    func apply(_ decision: ChallengeActDecision, in context: ApplyContext) throws(StoreError) {
        let object: Challenge
        switch decision {
        case .repeated(let challenge): object = challenge
        case .update(let challenge):
            let due =
                challenge.state.isOpen ? challenge.state.nextLook(now: context.now, steady: context.steady) : nil
            try context.transaction.challenges.update(challenge, dueAt: due, publishedAt: context.steady)
            object = try challenge.state.announce(dueAt: due, in: context)
        }
        context.accept { object.write(to: &$0) }
    }
}

extension AcceptChallenge: ChallengeActHandler {
    func act(_ challenge: StoredChallenge, in context: DecisionContext) throws -> ChallengeState.Act {
        let terms = challenge.state.terms
        let challenger = try context.facts.days(of: terms.challenger, count: terms.durationDays, now: context.now)
        let challenged = try context.facts.days(of: terms.challenged, count: terms.durationDays, now: context.now)
        let endsAt = max(challenger.end, challenged.end)
        return .accept(
            ChallengeState.Course(
                acceptedAt: context.now, endsAt: endsAt,
                deadline: context.steady.advanced(by: context.now.duration(to: endsAt)),
                firstDays: ChallengeState.Pair(challenger: challenger.first, challenged: challenged.first)))
    }

    func objection(_ challenge: ChallengeState, in context: DecisionContext) throws -> Rejection? {
        let (caller, terms) = (context.sender.user, challenge.terms)
        guard caller == terms.challenged else { return nil }
        let conversation = try context.visibleConversation(terms.conversation, to: caller)
        return CreateChallengeRule.objection(
            of: caller, to: terms.challenger, in: conversation.facts,
            facts: try context.challengeFacts(with: terms.challenger, in: conversation),
            mostOpen: context.settings.openChallenges, now: context.now, renewal: context.settings.requestRenewal)
    }
}

extension DeclineChallenge: ChallengeActHandler {
    func act(_ challenge: StoredChallenge, in context: DecisionContext) -> ChallengeState.Act { .decline }
}

extension CancelChallenge: ChallengeActHandler {
    func act(_ challenge: StoredChallenge, in context: DecisionContext) -> ChallengeState.Act { .cancel }
}

extension DecisionContext {
    /// The facts about a challenge of the sender with another.
    fileprivate func challengeFacts(
        with other: UserID, in conversation: ConversationState
    ) throws -> CreateChallengeRule.Facts {
        let (facts, caller) = (try facts, sender.user)
        return CreateChallengeRule.Facts(
            conversation: conversation.facts,
            contact: try conversation.contact ?? facts.contacts.contact(caller, other),
            sharesWorkoutData: try facts.users.profile(caller)?.sharesWorkoutData ?? false,
            openChallenges: try facts.challenges.openCount(of: caller))
    }

    /// A challenge as the sender sees it.
    fileprivate func object(of challenge: StoredChallenge) throws -> Challenge {
        var views = ChallengeViews(try facts, to: sender.user, settings, now: now)
        return try views.object(of: challenge)
    }
}

extension Snapshot {
    /// Today in a user's time zone, and the end of so many days from today on.
    fileprivate func days(
        of user: UserID, count: Int, now: Timestamp
    ) throws -> (first: CivilDay, end: Timestamp) {
        let zone = try users.profile(user)?.timeZone.flatMap(CivilZones.zone) ?? .utc
        let first = zone.day(at: now)
        return (first, zone.beginning(of: first.advanced(byDays: count)))
    }
}

extension ChallengeState {
    /// Publishes a change by the sender, and notifies the other.
    ///
    /// - Parameter due: when it is next due, by the steady time.
    fileprivate func announce(dueAt due: Timestamp?, in context: ApplyContext) throws(StoreError) -> Challenge {
        if let due { context.afterCommit.wake(ChallengeDuty.self, at: due) }
        let object = object
        try context.publish(object.topic) { object.writeEvent(by: context.sender.user, to: &$0) }
        try context.feed.clearAnswered(self)
        let conversation = try context.conversation(object.conversation)
        for (user, notification) in notifications where conversation.isVisible(to: user) {
            context.feed.notify(user, notification)
        }
        return object
    }
}

extension Rejection {
    static let challengeNotFound = Rejection(.notFound, "There is no such challenge.")
}
