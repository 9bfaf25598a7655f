import ParleyProtocol

extension MessagingClient {
    /// Challenges between two members of a conversation.
    public nonisolated var challenges: Challenges { Challenges(client: self) }

    /// Challenges between two members of a conversation: ``MessagingClient/challenges``.
    ///
    /// The gateway counts and decides who has won: without a connection these calls fail. ``ClientEvent/gateway(_:)``
    /// reports each change of a challenge and of its progress. A card in the chat (``ChallengeCard``) names a challenge
    /// by its id; ``get(_:)`` gives its state.
    public struct Challenges: Sendable {
        let client: MessagingClient

        /// Challenges another member of a conversation, who has 48 hours to answer.
        ///
        /// - Parameters:
        ///   - target: the goal of both; it does not decide who wins.
        ///   - days: 1 to 90, counted from the day of acceptance in each participant's time zone.
        ///   - id: a repeat with the same id creates nothing twice.
        public func create(
            _ type: ChallengeType, target: Int, days: Int, to user: UserID, in conversation: ConversationID,
            id: ChallengeID = .random()
        ) async throws(ClientError) -> Challenge {
            try await client.ask(
                CreateChallenge(
                    id: id, conversation: conversation, challenged: user, type: type, target: target,
                    durationDays: days), for: id, \.id)
        }

        /// Accepts another user's challenge: both are counted from today on.
        @discardableResult
        public func accept(_ challenge: ChallengeID) async throws(ClientError) -> Challenge {
            try await client.ask(AcceptChallenge(challenge: challenge), for: challenge, \.id)
        }

        @discardableResult
        public func decline(_ challenge: ChallengeID) async throws(ClientError) -> Challenge {
            try await client.ask(DeclineChallenge(challenge: challenge), for: challenge, \.id)
        }

        /// Cancels a challenge of the user that nobody has answered.
        @discardableResult
        public func cancel(_ challenge: ChallengeID) async throws(ClientError) -> Challenge {
            try await client.ask(CancelChallenge(challenge: challenge), for: challenge, \.id)
        }

        /// A challenge of one of the user's conversations.
        public func get(_ challenge: ChallengeID) async throws(ClientError) -> Challenge {
            try await client.ask(GetChallenge(challenge: challenge), for: challenge, \.id)
        }

        /// The user's challenges, or all of one conversation, newest first.
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
    /// The card that shows the challenge in its conversation.
    public func card(title: String) -> ChallengeCard? {
        type.value.map { type in
            ChallengeCard(
                challengeID: id, title: title, challengeType: type, target: target, durationDays: durationDays)
        }
    }
}
