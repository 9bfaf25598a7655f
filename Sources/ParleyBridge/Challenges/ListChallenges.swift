import ParleyProtocol
import ParleyRules
import ParleyStore

extension Snapshot {
    /// A challenge, if the user may see its conversation.
    func visibleChallenge(_ id: ChallengeID, to user: UserID) throws -> StoredChallenge {
        guard let challenge = try challenges.challenge(id),
            try conversations.conversation(challenge.state.terms.conversation)?.facts.member(user)?.isOpen == true
        else { throw Rejection.challengeNotFound }
        return challenge
    }
}

extension GetChallenge: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        let stored = try snapshot.visibleChallenge(challenge, to: caller)
        var views = ChallengeViews(snapshot, to: caller, context.reader.settings, now: context.now)
        return try views.object(of: stored).write
    }
}

extension ListChallenges: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        let key = try conversation.map { try snapshot.visibleConversation($0, to: caller).key }
        var views = ChallengeViews(snapshot, to: caller, context.reader.settings, now: context.now)
        return try context.page(page, of: Self.operation) { (position: ChallengeKey?, page) in
            func append(_ challenge: StoredChallenge) throws -> Bool {
                page.append(challenge.key, try views.object(of: challenge).write)
            }
            if let key {
                try snapshot.challenges.read(in: key, before: position, limit: page.limit + 1, append)
            } else {
                try snapshot.challenges.read(of: caller, before: position, limit: page.limit + 1, append)
            }
        }.write
    }
}
