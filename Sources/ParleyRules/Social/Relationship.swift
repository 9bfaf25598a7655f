import ParleyProtocol

/// Two people: what is between them, and whose their direct conversation is.
///
/// A value: `perform` is what one of them does, all of it or nothing; `consequences(since:)` says what follows from it.
package struct Relationship: Hashable, Sendable {
    package private(set) var contact: Contact
    /// For whom their conversation is open: in their lists, their counts, their topics. `nil` before one of them has
    /// made it.
    package private(set) var openFor: Set<UserID>?

    package init(_ contact: Contact, openFor: Set<UserID>?) { (self.contact, self.openFor) = (contact, openFor) }

    /// What one of the two does to the other.
    package enum Act: Hashable, Sendable {
        case follow, unfollow, block, unblock
        case setPrivacy(MessagePrivacy)
        /// `conversations/create`
        case create
        /// A message in their conversation.
        case write
        /// `requests/accept` and `decline`
        case accept, decline
    }

    /// `social/follow`, `unfollow`, `block` and `unblock`, before anything is read of the other.
    ///
    /// - Throws: `bad_request` for oneself.
    package static func checkOther(_ user: UserID, than caller: UserID) throws(Rejection) {
        guard caller != user else { throw Rejection(.badRequest, "user_id: the caller's own") }
    }

    /// - Parameter renewal: how long after the end of a friendship there is no new allowance.
    /// - Throws: why it may not be; nothing is changed then.
    package mutating func perform(_ act: Act, by user: UserID, now: Timestamp, renewal: Duration) throws(Rejection) {
        let wereFriends = contact.areFriends
        switch act {
        case .follow: try contact.follow(by: user)
        case .unfollow: contact.unfollow(by: user, now: now)
        case .block: contact.block(by: user, now: now)
        case .unblock: contact.unblock(by: user)
        case .setPrivacy(let privacy): contact.setPrivacy(privacy, of: user)
        case .create: create(by: user, permission(of: user, now: now, renewal: renewal))
        case .write: try write(by: user, permission(of: user, now: now, renewal: renewal))
        case .accept:
            guard openFor != nil else { throw .requestNotFound }
            try contact.accept(by: user)
            openFor?.insert(user)
        case .decline:
            guard openFor != nil else { throw .requestNotFound }
            try contact.decline(by: user)
        }
        if !wereFriends, contact.areFriends { openFor?.formUnion(contact.users) }
    }

    /// What one of the two may do toward the other.
    package func permission(of user: UserID, now: Timestamp, renewal: Duration) -> MessagingPermission {
        .decide(from: user, to: contact.other(than: user), contact, now: now, renewal: renewal)
    }

    /// Whether one of the two may send into their conversation at all: it is their own, or they have a message request
    /// in it.
    package func isAddressable(by user: UserID) -> Bool {
        openFor.map { $0.contains(user) || isAsked(user) } ?? false
    }

    /// Whether what one of them writes in their conversation is shown to nobody else: the other has blocked them.
    package func isWithheld(of user: UserID) -> Bool { contact.isWithheld(of: user) }

    /// Whether the two share their conversation as far as one of them can tell: a message that was hidden from the
    /// other would have closed it for them, had they not blocked its sender.
    package func isShared(seenBy user: UserID) -> Bool {
        openFor?.isSuperset(of: contact.users) == true && contact[user].request != .hidden
    }

    /// Whether one of the two gets `keys.changed` of the other: they write there without limit, so that they seal
    /// for these keys. This goes by what they may do themselves, so that a block looks like an unfollowing.
    ///
    /// - Parameter renewal: how long after the end of a friendship there is no new allowance.
    package func hearsOfKeys(_ user: UserID, now: Timestamp, renewal: Duration) -> Bool {
        guard isShared(seenBy: user) else { return false }
        switch permission(of: user, now: now, renewal: renewal) {
        case .allowed(.mutualFollow), .allowed(.acceptedRequest): return true
        case .allowed(.anyone):
            // Who has asked without an answer has nothing open with the other as far as they can tell, until they
            // write.
            switch contact[user].request {
            case .accepted, .open, nil: return true
            case .waiting, .declined, .cancelled, .hidden: return false
            }
        case .request, .refused: return false
        }
    }

    /// Whether they have a message request of the other, or have declined one.
    private func isAsked(_ user: UserID) -> Bool {
        switch contact[contact.other(than: user)].request {
        case .waiting, .declined: true
        case .accepted, .cancelled, .open, .hidden, nil: false
        }
    }

    private mutating func create(by user: UserID, _ permission: MessagingPermission) {
        var openFor = openFor ?? []
        // Creating the conversation does not accept a pending request.
        if !isAsked(user) { openFor.insert(user) }
        switch permission {
        case .allowed: openFor.insert(contact.other(than: user))
        case .request, .refused: break
        }
        self.openFor = openFor
    }

    private mutating func write(by user: UserID, _ permission: MessagingPermission) throws(Rejection) {
        guard isAddressable(by: user) else { throw .conversationNotFound }
        if let rejection = permission.rejection { throw rejection }
        recordMessage(of: user, under: permission)
    }

    /// A message of one of the two was accepted in their conversation, under `permission`.
    package mutating func recordMessage(of user: UserID, under permission: MessagingPermission) {
        let other = contact.other(than: user)
        contact.recordMessage(of: user, under: permission)
        openFor?.insert(user)
        switch permission {
        case .allowed: openFor?.insert(other)
        // Whoever has blocked the sender is not asked, and keeps what is theirs.
        case .request: if !contact[other].blocks { openFor?.remove(other) }
        case .refused: break
        }
    }
}

// MARK: What follows

extension Relationship {
    /// What is to be done about a change of what is between two people.
    package struct Consequences: Hashable, Sendable {
        /// The audience of their conversation has changed.
        package var hasNewAudience = false
        /// For whom the conversation is open now and was not: they get an event.
        package var opened: [UserID] = []
        /// For whom it is open no more.
        package var closed: [UserID] = []
        /// Whether the two have become friends (`true`), or are friends no more (`false`).
        package var friendship: Bool?
        /// Who has blocked the other (`true`), or has ended their block (`false`).
        package var blocks: [UserID: Bool] = [:]
        /// For whom a message request of the other waits no more: they have answered it or blocked whoever asked, or
        /// the two have become friends. Of a request that was taken back nobody is told.
        package var answered: [UserID] = []

        package init() {}
    }

    package struct Audience: Hashable, Sendable {
        /// In the order of their ids.
        package let members: [UserID]
        /// Those of them who have blocked the other: they hear only what they do themselves.
        package let blockers: [UserID]
    }

    /// Who hears the conversation; `nil` where there is none.
    package var audience: Audience? {
        openFor.map { open in
            let members = contact.users.filter(open.contains)
            return Audience(members: members, blockers: members.filter { contact[$0].blocks })
        }
    }

    package func consequences(since old: Relationship) -> Consequences {
        guard self != old else { return Consequences() }
        var consequences = Consequences()
        let (open, wasOpen) = (openFor ?? [], old.openFor ?? [])
        consequences.hasNewAudience = audience != old.audience
        consequences.opened = contact.users.filter { open.contains($0) && !wasOpen.contains($0) }
        consequences.closed = contact.users.filter { !open.contains($0) && wasOpen.contains($0) }
        if contact.areFriends != old.contact.areFriends { consequences.friendship = contact.areFriends }
        for user in contact.users where contact[user].blocks != old.contact[user].blocks {
            consequences.blocks[user] = contact[user].blocks
        }
        consequences.answered = contact.users.filter { hasAnswered($0, since: old) }
        return consequences
    }

    private func hasAnswered(_ user: UserID, since old: Relationship) -> Bool {
        let asker = contact.other(than: user)
        guard old.contact[asker].request == .waiting else { return false }
        return switch contact[asker].request {
        case .waiting: false
        case .cancelled: contact[user].blocks
        case .accepted, .declined, .open, .hidden, nil: true
        }
    }
}
