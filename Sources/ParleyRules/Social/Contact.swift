import ParleyProtocol

/// Two users and the state between them that decides who may write to whom.
///
/// Its methods are the acts of the two. A repeated act changes nothing.
///
/// The blocked user has no rule of their own. A block is carried out as what they see: an unfollowing, the end of an
/// accepted request, and a privacy of friends only. What it ended is stored beside it and restored when it ends.
package struct Contact: Hashable, Sendable {
    /// One of the two, towards the other.
    package struct Side: Hashable, Sendable {
        package var stance: Stance
        /// Who may write to them without a request; for a blocked user see `Contact.privacy(of:)`.
        package var privacy: MessagePrivacy
        /// The state of their message request to the other.
        package var request: MessageRequestState?

        package init(stance: Stance, privacy: MessagePrivacy = .followers, request: MessageRequestState? = nil) {
            (self.stance, self.privacy, self.request) = (stance, privacy, request)
        }

        /// - Parameter follows: with a block, whether the follow is restored when it ends.
        package init(
            follows: Bool = false, blocks: Bool = false, privacy: MessagePrivacy = .followers,
            request: MessageRequestState? = nil
        ) {
            let stance: Stance =
                blocks ? .blocks(restoring: Restoration(follow: follows)) : follows ? .follows : .neutral
            self.init(stance: stance, privacy: privacy, request: request)
        }

        /// They follow the other.
        package var follows: Bool { stance == .follows }

        /// They have blocked the other.
        package var blocks: Bool {
            switch stance {
            case .blocks: true
            case .follows, .neutral: false
            }
        }
    }

    /// A user who blocks does not follow.
    package enum Stance: Hashable, Sendable {
        case neutral
        case follows
        case blocks(restoring: Restoration)
    }

    /// What is restored when a block ends.
    package struct Restoration: Hashable, Sendable {
        /// The blocker followed the other.
        package var follow: Bool
        /// A request of one of the two was accepted.
        package var acceptance: Bool

        package init(follow: Bool = false, acceptance: Bool = false) {
            (self.follow, self.acceptance) = (follow, acceptance)
        }
    }

    /// The two, in the order of their ids.
    package let users: [UserID]
    private var sides: [Side]
    /// When their friendship ended, by an unfollowing or a block.
    package private(set) var friendsUntil: Timestamp?

    /// - Precondition: the two are not the same.
    package init(
        _ one: UserID, _ oneSide: Side, _ other: UserID, _ otherSide: Side = Side(),
        friendsUntil: Timestamp? = nil
    ) {
        users = one < other ? [one, other] : [other, one]
        sides = one < other ? [oneSide, otherSide] : [otherSide, oneSide]
        self.friendsUntil = friendsUntil
    }

    package private(set) subscript(user: UserID) -> Side {
        get { sides[user == users[0] ? 0 : 1] }
        set { sides[user == users[0] ? 0 : 1] = newValue }
    }

    /// - Precondition: the two are not the same.
    package init(strangers one: UserID, _ other: UserID) { self.init(one, Side(), other) }

    /// The other of the two.
    package func other(than user: UserID) -> UserID { users[user == users[0] ? 1 : 0] }

    package var isBlocked: Bool { sides.contains(where: \.blocks) }

    /// Each follows the other, so neither blocks the other.
    package var areFriends: Bool { sides.allSatisfy(\.follows) }

    /// A request of either was accepted: both may write.
    package var isAccepted: Bool { sides.contains { $0.request == .accepted } }

    /// Who may write to a user without a request, as it counts for the other of the two: to a blocked one, friends
    /// only.
    package func privacy(of user: UserID) -> MessagePrivacy { self[user].blocks ? .followers : self[user].privacy }
}

/// The state of a message request. The sender sees `accepted` alone.
package enum MessageRequestState: String, Hashable, Sendable, CaseIterable {
    /// The message waits in the recipient's `requests/list`.
    case waiting
    /// The recipient has accepted, or has answered: both may write.
    case accepted
    /// The recipient has declined, or has withdrawn an acceptance. Looks like `waiting` to the sender.
    case declined
    /// The sender has withdrawn it, or a block has ended it. Looks like `waiting` to a blocked sender.
    case cancelled
    /// Sent under `message_privacy` `anyone`: consent was neither needed nor given.
    case open
    /// Sent to a user who blocks the sender, until the block ends: shown to the sender alone, and looks like `waiting`.
    case hidden
}

// MARK: Acts

extension Contact {
    /// `social/follow`
    ///
    /// - Throws: `blocked` if they block the other. A blocked user may follow.
    package mutating func follow(by user: UserID) throws(Rejection) {
        switch self[user].stance {
        case .follows: break
        case .blocks: throw .blocked
        case .neutral:
            self[user].stance = .follows
            if areFriends { startAfresh() }
        }
    }

    /// `social/unfollow`: neither of the two has a new message request for a while. During a block it changes only what
    /// the end of the block restores.
    package mutating func unfollow(by user: UserID, now: Timestamp) {
        switch self[user].stance {
        case .neutral: break
        case .follows:
            if areFriends { friendsUntil = now }
            self[user].stance = .neutral
        case .blocks(var restoration):
            restoration.follow = false
            self[user].stance = .blocks(restoring: restoration)
        }
    }

    /// `social/block`: an unfollowing and a withdrawal. A request that waits for the blocker ends for good.
    package mutating func block(by user: UserID, now: Timestamp) {
        guard !self[user].blocks else { return }
        let other = other(than: user)
        let restoration = Restoration(follow: self[user].follows, acceptance: isAccepted)
        unfollow(by: user, now: now)
        if self[other].request == .waiting { self[other].request = .cancelled }
        withdraw(by: user)
        self[user].stance = .blocks(restoring: restoration)
    }

    /// `social/unblock`: restores the follow and the accepted request, unless one of the two has withdrawn it or
    /// blocked the other meanwhile.
    package mutating func unblock(by user: UserID) {
        guard case .blocks(let restoration) = self[user].stance else { return }
        let other = other(than: user)
        self[user].stance = restoration.follow ? .follows : .neutral
        if restoration.acceptance, self[other].request == .declined { self[other].request = .accepted }
        if self[other].request == .hidden { self[other].request = .cancelled }
        if areFriends { startAfresh() }
    }

    /// `profile/set`
    package mutating func setPrivacy(_ privacy: MessagePrivacy, of user: UserID) { self[user].privacy = privacy }

    /// `requests/accept`
    ///
    /// - Throws: `not_found` without a request of the other, `blocked` if the caller blocks them.
    package mutating func accept(by user: UserID) throws(Rejection) {
        let asker = other(than: user)
        switch self[asker].request {
        case .waiting, .declined, .open:
            guard !self[user].blocks else { throw .blocked }
            self[asker].request = .accepted
        case .accepted: break
        // They have followed back, which opened the conversation.
        case nil where areFriends: break
        case .cancelled, .hidden, nil: throw .requestNotFound
        }
    }

    /// `requests/decline`: ends what was requested and accepted in both directions. The other gets no event.
    ///
    /// - Throws: `not_found` without any request.
    package mutating func decline(by user: UserID) throws(Rejection) {
        let hasAsked = self[other(than: user)].request?.hasAsked ?? false
        guard hasAsked || self[user].request != nil || areFriends else { throw .requestNotFound }
        withdraw(by: user)
        if case .blocks(var restoration) = self[user].stance {
            restoration.acceptance = false
            self[user].stance = .blocks(restoring: restoration)
        }
    }

    /// Whether a user's messages are shown to nobody else, because the other blocks them.
    package func isWithheld(of user: UserID) -> Bool { self[other(than: user)].blocks }

    /// Whether `recordMessage` would change nothing.
    package func isUnchanged(byMessageOf user: UserID, under permission: MessagingPermission) -> Bool {
        var contact = self
        contact.recordMessage(of: user, under: permission)
        return contact == self
    }

    /// Records that a message of a user was accepted under `permission`.
    package mutating func recordMessage(of user: UserID, under permission: MessagingPermission) {
        let other = other(than: user)
        switch permission {
        case .request: self[user].request = self[other].blocks ? .hidden : .waiting
        // A message to a friend is no request.
        case .allowed(.anyone) where areFriends: break
        case .allowed(.anyone):
            // An answer accepts, even if no consent was needed.
            if self[other].request?.isAnswerable == true {
                self[other].request = .accepted
            } else if self[user].request != .accepted, self[user].request != .open {
                self[user].request = .open
            }
        case .allowed(.acceptedRequest):
            if self[other].request?.isAnswerable == true { self[other].request = .accepted }
        case .allowed(.mutualFollow), .refused: break
        }
    }

    /// Whether an allowed message is the first to a stranger: no friend, and neither has written yet.
    package func isFirstMessage(of user: UserID, under permission: MessagingPermission) -> Bool {
        switch permission {
        case .request: true
        case .allowed(.anyone):
            !areFriends && self[user].request == nil && self[other(than: user)].request?.hasAsked != true
        case .allowed(.mutualFollow), .allowed(.acceptedRequest), .refused: false
        }
    }

    /// The two have become friends: forgets requests that were not accepted, so that they may be made again one day.
    private mutating func startAfresh() {
        for user in users where self[user].request != .accepted { self[user].request = nil }
    }

    /// Ends the other's requests and one's own.
    private mutating func withdraw(by user: UserID) {
        let other = other(than: user)
        if isAccepted || self[other].request?.isAnswerable == true { self[other].request = .declined }
        switch self[user].request {
        case .waiting, .accepted, .declined, .open: self[user].request = .cancelled
        case .cancelled, .hidden, nil: break
        }
    }
}

extension MessageRequestState {
    /// Whether an answer of the recipient accepts it.
    fileprivate var isAnswerable: Bool {
        switch self {
        case .waiting, .declined, .open: true
        case .accepted, .cancelled, .hidden: false
        }
    }
}
