import ParleyProtocol

extension MessagingClient {
    /// Challenges between two members of a conversation.
    public nonisolated var challenges: Challenges { Challenges(client: self) }

    /// Challenges between two members of a conversation: ``MessagingClient/challenges``.
    ///
    /// The gateway counts, and decides who has won; without a connection these calls fail. The event
    /// ``ClientEvent/gateway(_:)`` follows each change of a challenge, and how far both have come. A card in the
    /// chat (``ChallengeCard``) names a challenge by its id, by which ``get(_:)`` says what has become of it.
    public struct Challenges: Sendable {
        let client: MessagingClient

        /// Challenges another member of a conversation, who has 48 hours to answer.
        ///
        /// - Parameters:
        ///   - target: what both would reach; it does not decide who wins.
        ///   - days: 1 to 90 days, of which the day of acceptance is the first, wherever each of the two is.
        ///   - id: chosen here, so that a call that was not answered can be repeated.
        public func create(
            _ type: ChallengeType, target: Int, days: Int, to user: UserID, in conversation: ConversationID,
            id: ChallengeID = .random()
        ) async throws(ClientError) -> Challenge {
            try await client.ask(
                CreateChallenge(
                    id: id, conversation: conversation, challenged: user, type: type, target: target,
                    durationDays: days), for: id, \.id)
        }

        /// Accepts a challenge of another's: both are counted from today on.
        @discardableResult
        public func accept(_ challenge: ChallengeID) async throws(ClientError) -> Challenge {
            try await client.ask(AcceptChallenge(challenge: challenge), for: challenge, \.id)
        }

        @discardableResult
        public func decline(_ challenge: ChallengeID) async throws(ClientError) -> Challenge {
            try await client.ask(DeclineChallenge(challenge: challenge), for: challenge, \.id)
        }

        /// Takes back a challenge of the user's own that nobody has answered.
        @discardableResult
        public func cancel(_ challenge: ChallengeID) async throws(ClientError) -> Challenge {
            try await client.ask(CancelChallenge(challenge: challenge), for: challenge, \.id)
        }

        /// What has become of a challenge of one of the user's conversations.
        public func get(_ challenge: ChallengeID) async throws(ClientError) -> Challenge {
            try await client.ask(GetChallenge(challenge: challenge), for: challenge, \.id)
        }

        /// The user's challenges, the newest first; of one conversation, all that it has.
        public func list(
            in conversation: ConversationID? = nil, page: Page = Page()
        ) async throws(ClientError) -> ListPage<Challenge> {
            let list = try await client.ask(ListChallenges(of: conversation, page: page))
            guard conversation == nil || list.items.allSatisfy({ $0.conversation == conversation }) else {
                throw .malformedReply
            }
            return list
        }
    }
}

extension Challenge {
    /// The card that stands for the challenge in its conversation.
    public func card(title: String) -> ChallengeCard? {
        type.value.map { type in
            ChallengeCard(
                challengeID: id, title: title, challengeType: type, target: target, durationDays: durationDays)
        }
    }
}
