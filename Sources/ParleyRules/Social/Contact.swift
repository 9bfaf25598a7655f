import ParleyProtocol

/// Two people and everything between them that decides who may write to whom.
///
/// A value: its methods are what people do, and say what follows from it. Whatever a method does not say stays as it
/// was; doing a second time what is done already changes nothing.
public struct Contact: Hashable, Sendable {
    /// What one of the two has done, and how he wants to be written to.
    public struct Side: Hashable, Sendable {
        /// He follows the other.
        public var follows: Bool
        /// He has blocked the other.
        public var blocks: Bool
        /// Who may write to him without asking.
        public var privacy: MessagePrivacy
        /// What has become of his asking to write to the other.
        public var request: MessageRequestState?

        public init(
            follows: Bool = false, blocks: Bool = false, privacy: MessagePrivacy = .followers,
            request: MessageRequestState? = nil
        ) {
            self.follows = follows
            self.blocks = blocks
            self.privacy = privacy
            self.request = request
        }
    }

    /// The two, in the order of their ids.
    public let users: [UserID]
    private var sides: [Side]
    /// When one of the two last unfollowed the other while each followed the other.
    public private(set) var friendsUntil: Timestamp?

    /// - Precondition: the two are not the same; who writes to himself is refused before there is a contact.
    public init(
        _ one: UserID, _ oneSide: Side, _ other: UserID, _ otherSide: Side = Side(),
        friendsUntil: Timestamp? = nil
    ) {
        users = one < other ? [one, other] : [other, one]
        sides = one < other ? [oneSide, otherSide] : [otherSide, oneSide]
        self.friendsUntil = friendsUntil
    }

    public private(set) subscript(user: UserID) -> Side {
        get { sides[user == users[0] ? 0 : 1] }
        set { sides[user == users[0] ? 0 : 1] = newValue }
    }

    /// Two between whom there is nothing yet.
    ///
    /// - Precondition: the two are not the same.
    public init(strangers one: UserID, _ other: UserID) { self.init(one, Side(), other) }

    /// The other of the two.
    public func other(than user: UserID) -> UserID { users[user == users[0] ? 1 : 0] }

    /// Each follows the other, whoever has blocked whom.
    public var followEachOther: Bool { sides.allSatisfy(\.follows) }

    /// One of the two has blocked the other.
    public var isBlocked: Bool { sides.contains(where: \.blocks) }

    /// Each follows the other, and neither has blocked the other.
    public var areFriends: Bool { followEachOther && !isBlocked }

    /// The writing of one is accepted by the other: both may write.
    public var isAccepted: Bool { sides.contains { $0.request == .accepted } }
}

/// What has become of one person's asking to write to another. The asker is told none of it but `accepted`.
public enum MessageRequestState: String, Hashable, Sendable, CaseIterable {
    /// The one message waits in the other's `requests/list`.
    case waiting
    /// The other has accepted, or has answered: both may write.
    case accepted
    /// The other has declined. It looks like `waiting` to the asker.
    case declined
    /// A block of either has ended it. It looks like `waiting` to the asker.
    case cancelled
    /// Written under `message_privacy` `anyone`: no consent was needed, and none was given.
    case open
}

// MARK: What people do

extension Contact {
    /// `social/follow`
    ///
    /// - Throws: `blocked` if he has blocked whom he wants to follow. Who was blocked follows like anybody.
    public mutating func follow(by user: UserID) throws(Rejection) {
        if self[user].blocks { throw .blocked }
        self[user].follows = true
        if areFriends { startAfresh() }
    }

    /// `social/unfollow`: whoever it is, neither has a new allowance for a while.
    ///
    /// That holds also while a block hides the friendship: to block, unfollow and unblock somebody does not let him ask
    /// again at once.
    public mutating func unfollow(by user: UserID, now: Timestamp) {
        if followEachOther { friendsUntil = now }
        self[user].follows = false
    }

    /// `social/block`: open requests end. Who follows whom stays, and counts for nothing while the block lasts.
    public mutating func block(by user: UserID) {
        self[user].blocks = true
        for user in users where self[user].request == .waiting { self[user].request = .cancelled }
    }

    /// `social/unblock`: two who follow each other are friends again, or now for the first time.
    public mutating func unblock(by user: UserID) {
        self[user].blocks = false
        if areFriends { startAfresh() }
    }

    /// `profile/set` with another `message_privacy`.
    public mutating func setPrivacy(_ privacy: MessagePrivacy, of user: UserID) { self[user].privacy = privacy }

    /// `requests/accept`
    ///
    /// - Throws: `not_found` if the other has never asked.
    public mutating func accept(by user: UserID) throws(Rejection) {
        let asker = other(than: user)
        switch self[asker].request {
        case .waiting, .declined, .open: self[asker].request = .accepted
        case .accepted: break
        // Following back has opened the conversation before.
        case nil where areFriends: break
        case .cancelled, nil: throw .requestNotFound
        }
    }

    /// `requests/decline`: the asker is told nothing.
    ///
    /// - Throws: `not_found` if the other has never asked.
    public mutating func decline(by user: UserID) throws(Rejection) {
        let asker = other(than: user)
        switch self[asker].request {
        case .waiting: self[asker].request = .declined
        case .declined, .accepted, .open: break
        case nil where areFriends: break
        case .cancelled, nil: throw .requestNotFound
        }
    }

    /// A message of one to the other was accepted under `permission`.
    public mutating func wrote(_ user: UserID, under permission: MessagingPermission) {
        let other = other(than: user)
        switch permission {
        case .request: self[user].request = .waiting
        // To a friend one writes as a friend, whomever else the friend lets write: it asks for nothing.
        case .allowed(.anyone) where areFriends: break
        case .allowed(.anyone):
            // An answer accepts, also where none was needed.
            if self[other].request?.isAnswerable == true {
                self[other].request = .accepted
            } else if self[user].request != .accepted {
                self[user].request = .open
            }
        case .allowed(.acceptedRequest):
            if self[other].request?.isAnswerable == true { self[other].request = .accepted }
        case .allowed(.mutualFollow), .refused: break
        }
    }

    /// Whether a message that is allowed is the first to a stranger: no friend, and neither has asked or written yet.
    public func isFirstMessage(of user: UserID, under permission: MessagingPermission) -> Bool {
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
}

extension MessageRequestState {
    /// Whether a message of the one who was asked accepts.
    fileprivate var isAnswerable: Bool {
        switch self {
        case .waiting, .declined, .open: true
        case .accepted, .cancelled: false
        }
    }
}
