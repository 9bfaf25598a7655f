import ParleyProtocol

/// Two people and everything between them that decides who may write to whom.
///
/// A value: its methods are what people do, and say what follows from it. Whatever a method does not say stays as it
/// was; doing a second time what is done already changes nothing.
///
/// A block has no rule of its own for whoever was blocked. It is carried out as what it must look like to them: the
/// other has unfollowed them and taken back what was accepted, and lets them write as a friend only. What the block
/// ended is noted beside it, so that ending the block restores it.
package struct Contact: Hashable, Sendable {
    /// What one of the two has done, and how they want to be written to.
    package struct Side: Hashable, Sendable {
        package var stance: Stance
        /// Who may write to them without asking; to whom they have blocked see `Contact.privacy(of:)`.
        package var privacy: MessagePrivacy
        /// What has become of their asking to write to the other.
        package var request: MessageRequestState?

        package init(stance: Stance, privacy: MessagePrivacy = .followers, request: MessageRequestState? = nil) {
            (self.stance, self.privacy, self.request) = (stance, privacy, request)
        }

        /// - Parameter follows: of a side that blocks, whether it follows again when the block ends.
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

    /// What one of the two has chosen towards the other. Whoever blocks does not follow.
    package enum Stance: Hashable, Sendable {
        case neutral
        case follows
        case blocks(restoring: Restoration)
    }

    /// What a block has ended, to be restored when the block ends.
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
    /// When the two were last friends, if one of them has unfollowed or blocked the other since.
    package private(set) var friendsUntil: Timestamp?

    /// - Precondition: the two are not the same; who writes to themselves is refused before there is a contact.
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

    /// Two between whom there is nothing yet.
    ///
    /// - Precondition: the two are not the same.
    package init(strangers one: UserID, _ other: UserID) { self.init(one, Side(), other) }

    /// The other of the two.
    package func other(than user: UserID) -> UserID { users[user == users[0] ? 1 : 0] }

    /// One of the two has blocked the other.
    package var isBlocked: Bool { sides.contains(where: \.blocks) }

    /// Each follows the other, and so neither has blocked the other.
    package var areFriends: Bool { sides.allSatisfy(\.follows) }

    /// A request of one was accepted by the other: both may write.
    package var isAccepted: Bool { sides.contains { $0.request == .accepted } }

    /// Who may write to one of the two without asking, as it counts for the other: whoever has blocked the other lets
    /// them write as a friend only.
    package func privacy(of user: UserID) -> MessagePrivacy { self[user].blocks ? .followers : self[user].privacy }
}

/// What has become of one person's asking to write to another. Of all this the asker sees `accepted` alone.
package enum MessageRequestState: String, Hashable, Sendable, CaseIterable {
    /// The one message waits in the other's `requests/list`.
    case waiting
    /// The other has accepted, or has answered: both may write.
    case accepted
    /// The other has declined, or has taken back an acceptance. It looks like `waiting` to the asker.
    case declined
    /// The asker has taken it back, or a block has ended it. It looks like `waiting` to the asker whom the other
    /// blocked.
    case cancelled
    /// Written under `message_privacy` `anyone`: no consent was needed, and none was given.
    case open
    /// Written to somebody who blocks the asker, until the block ends: shown to nobody but the asker, to whom it looks
    /// like `waiting`.
    case hidden
}

// MARK: What people do

extension Contact {
    /// `social/follow`
    ///
    /// - Throws: `blocked` if they have blocked whom they want to follow. Whoever was blocked follows like anybody.
    package mutating func follow(by user: UserID) throws(Rejection) {
        switch self[user].stance {
        case .follows: break
        case .blocks: throw .blocked
        case .neutral:
            self[user].stance = .follows
            if areFriends { startAfresh() }
        }
    }

    /// `social/unfollow`: whoever it is, neither has a new allowance for a while.
    ///
    /// While a block lasts, nothing but what the end of the block restores is changed: they do not follow then.
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

    /// `social/block`: an unfollowing and a taking back. A request that waits for the blocker ends for good.
    package mutating func block(by user: UserID, now: Timestamp) {
        guard !self[user].blocks else { return }
        let other = other(than: user)
        let restoration = Restoration(follow: self[user].follows, acceptance: isAccepted)
        unfollow(by: user, now: now)
        if self[other].request == .waiting { self[other].request = .cancelled }
        withdraw(by: user)
        self[user].stance = .blocks(restoring: restoration)
    }

    /// `social/unblock`: the blocker follows again if they did, and what was accepted is accepted again, unless one of
    /// the two has taken that back or blocked the other meanwhile.
    package mutating func unblock(by user: UserID) {
        guard case .blocks(let restoration) = self[user].stance else { return }
        let other = other(than: user)
        self[user].stance = restoration.follow ? .follows : .neutral
        if restoration.acceptance, self[other].request == .declined { self[other].request = .accepted }
        if self[other].request == .hidden { self[other].request = .cancelled }
        if areFriends { startAfresh() }
    }

    /// `profile/set` with another `message_privacy`.
    package mutating func setPrivacy(_ privacy: MessagePrivacy, of user: UserID) { self[user].privacy = privacy }

    /// `requests/accept`
    ///
    /// - Throws: `not_found` if the other has never asked, `blocked` if the caller has blocked them.
    package mutating func accept(by user: UserID) throws(Rejection) {
        let asker = other(than: user)
        switch self[asker].request {
        case .waiting, .declined, .open:
            guard !self[user].blocks else { throw .blocked }
            self[asker].request = .accepted
        case .accepted: break
        // Following back has opened the conversation before.
        case nil where areFriends: break
        case .cancelled, .hidden, nil: throw .requestNotFound
        }
    }

    /// `requests/decline`: the other writes no more for anything that was asked or accepted between the two, and gets
    /// no event. What the caller has asked is taken back, too.
    ///
    /// - Throws: `not_found` if neither has ever asked.
    package mutating func decline(by user: UserID) throws(Rejection) {
        let hasAsked = self[other(than: user)].request?.hasAsked ?? false
        guard hasAsked || self[user].request != nil || areFriends else { throw .requestNotFound }
        withdraw(by: user)
        if case .blocks(var restoration) = self[user].stance {
            restoration.acceptance = false
            self[user].stance = .blocks(restoring: restoration)
        }
    }

    /// Whether what one of them writes to the other is shown to nobody else: the other has blocked them.
    package func isWithheld(of user: UserID) -> Bool { self[other(than: user)].blocks }

    /// Whether a message of one of them, accepted under `permission`, leaves everything between the two as it is.
    package func isUnchanged(byMessageOf user: UserID, under permission: MessagingPermission) -> Bool {
        var contact = self
        contact.recordMessage(of: user, under: permission)
        return contact == self
    }

    /// A message of one to the other was accepted under `permission`.
    package mutating func recordMessage(of user: UserID, under permission: MessagingPermission) {
        let other = other(than: user)
        switch permission {
        case .request: self[user].request = self[other].blocks ? .hidden : .waiting
        // To a friend one writes as a friend, whomever else the friend lets write: it asks for nothing.
        case .allowed(.anyone) where areFriends: break
        case .allowed(.anyone):
            // An answer accepts, also where none was needed.
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

    /// Whether a message that is allowed is the first to a stranger: no friend, and neither has asked or written yet.
    package func isFirstMessage(of user: UserID, under permission: MessagingPermission) -> Bool {
        switch permission {
        case .request: true
        case .allowed(.anyone):
            !areFriends && self[user].request == nil && self[other(than: user)].request?.hasAsked != true
        case .allowed(.mutualFollow), .allowed(.acceptedRequest), .refused: false
        }
    }

    /// The two have become friends: what one had asked the other is asked no more, and may be asked again one day.
    private mutating func startAfresh() {
        for user in users where self[user].request != .accepted { self[user].request = nil }
    }

    /// One of the two lets the other write no more for anything that was asked or accepted, and asks nothing any more.
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
    /// Whether a message of the one who was asked accepts.
    fileprivate var isAnswerable: Bool {
        switch self {
        case .waiting, .declined, .open: true
        case .accepted, .cancelled, .hidden: false
        }
    }
}
