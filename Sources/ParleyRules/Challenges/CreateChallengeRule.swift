import ParleyProtocol

/// Decides `challenges/create`, and whether two people may have a challenge at all (protocol §5).
///
/// The two of a direct conversation may who may both write to the other without limit. So a block looks like an
/// unfollowing. Members of a group may: there a block changes nothing that others see, as with messages.
package enum CreateChallengeRule {
    package struct Facts: Sendable {
        /// The conversation that the request names, whoever is in it.
        package let conversation: ConversationFacts?
        /// What is between the two.
        package let contact: Contact?
        /// Whether the caller shares what they do.
        package let sharesWorkoutData: Bool
        /// How many the caller has that wait for an answer to them, or are counted.
        package let openChallenges: Int

        package init(
            conversation: ConversationFacts?, contact: Contact?, sharesWorkoutData: Bool, openChallenges: Int
        ) {
            self.conversation = conversation
            self.contact = contact
            self.sharesWorkoutData = sharesWorkoutData
            self.openChallenges = openChallenges
        }
    }

    /// - Parameters:
    ///   - mostOpen: how many challenges of one user are open at once.
    ///   - renewal: how long after the end of a friendship there is no new allowance to write.
    /// - Throws: `not_found` for the conversation and for who is no member, `bad_request` for oneself and for a streak
    ///   that is longer than the days, the objection, `forbidden`.
    package static func check(
        _ request: CreateChallenge, by caller: UserID, facts: Facts, mostOpen: Int, now: Timestamp, renewal: Duration
    ) throws(Rejection) {
        let conversation = try ConversationFacts.visible(facts.conversation, to: caller)
        guard request.challenged != caller else {
            throw Rejection(.badRequest, "challenged_id: nobody challenges themselves")
        }
        guard conversation.member(request.challenged) != nil else {
            throw Rejection(.notFound, "There is no such member.")
        }
        guard request.type != .streak || request.target <= request.durationDays else {
            throw Rejection(.badRequest, "target: a streak of more days than the challenge has")
        }
        if let objection = objection(
            of: caller, to: request.challenged, in: conversation, facts: facts, mostOpen: mostOpen, now: now,
            renewal: renewal)
        {
            throw objection
        }
    }

    /// Why a user may not make a challenge to another, or accept theirs; `nil` where they may. Who shares nothing may
    /// not: nobody could see how far they come.
    package static func objection(
        of user: UserID, to other: UserID, in conversation: ConversationFacts, facts: Facts, mostOpen: Int,
        now: Timestamp, renewal: Duration
    ) -> Rejection? {
        if let objection = objection(of: user, to: other, in: conversation, facts.contact, now: now, renewal: renewal) {
            return objection
        }
        guard facts.sharesWorkoutData else {
            return Rejection(.forbidden, "Who shares no workout data takes part in no challenge.")
        }
        guard facts.openChallenges < mostOpen else {
            return Rejection(.forbidden, "You may have at most \(mostOpen) open challenges.")
        }
        return nil
    }

    /// Why a user may not have a challenge with another in a conversation; `nil` where they may.
    ///
    /// - Parameter contact: what is between the two.
    private static func objection(
        of user: UserID, to other: UserID, in conversation: ConversationFacts, _ contact: Contact?, now: Timestamp,
        renewal: Duration
    ) -> Rejection? {
        guard conversation.member(user)?.isOpen == true else { return .conversationNotFound }
        switch conversation.type {
        case .group:
            if contact?[user].blocks == true { return .blocked }
            return conversation.member(other) == nil ? Rejection(.notFound, "There is no such member.") : nil
        case .direct:
            let own = MessagingPermission.decide(from: user, to: other, contact, now: now, renewal: renewal)
            guard own.permits(.challenge) else { return own.rejection ?? .requestLimit }
            let others = MessagingPermission.decide(from: other, to: user, contact, now: now, renewal: renewal)
            return others.permits(.challenge) && conversation.isOpenForAll ? nil : .requestLimit
        }
    }

    /// Whether a challenge between the two goes on, as things are between them. In a group a block changes nothing.
    package static func areTogether(
        _ terms: ChallengeState.Terms, in conversation: ConversationFacts, _ contact: Contact?, now: Timestamp,
        renewal: Duration
    ) -> Bool {
        switch conversation.type {
        case .group: conversation.member(terms.challenger) != nil && conversation.member(terms.challenged) != nil
        case .direct:
            objection(of: terms.challenger, to: terms.challenged, in: conversation, contact, now: now, renewal: renewal)
                == nil
        }
    }
}
