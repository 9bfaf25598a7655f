import ParleyProtocol

/// Decides `challenges/create`, and whether two users may have a challenge at all (protocol §5).
///
/// In a direct conversation both must be allowed to write to the other without limit, so that a block looks like an
/// unfollowing. In a group all members may: there a block changes nothing that others see, as with messages.
package enum CreateChallengeRule {
    package struct Facts: Sendable {
        /// The conversation that the request names, with or without the caller.
        package let conversation: ConversationFacts?
        package let contact: Contact?
        /// The caller's setting.
        package let sharesWorkoutData: Bool
        /// The caller's challenges that are active, or wait for an answer from somebody else.
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
    ///   - mostOpen: of one user at once.
    ///   - renewal: how long after the end of a friendship there is no new message request.
    /// - Throws: `not_found` for the conversation and for a user who is no member, `bad_request` for oneself and for a
    ///   streak longer than the challenge, the objection.
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

    /// Why a user may not challenge another, or accept their challenge; `nil` where they may. Users who share no
    /// workout data may not: nobody could see their progress.
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

    /// Whether the two may go on with a challenge. In a group a block changes nothing.
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
