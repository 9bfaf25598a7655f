import ParleyProtocol

/// Two users, with the members for whom their direct conversation is open.
///
/// `perform` applies an act of one of them, whole or not at all; `consequences(since:)` returns the effects of a
/// change.
package struct Relationship: Hashable, Sendable {
    package private(set) var contact: Contact
    /// The users for whom their conversation is open: in lists, counts and topics. `nil` before it is created.
    package private(set) var openFor: Set<UserID>?

    package init(_ contact: Contact, openFor: Set<UserID>?) { (self.contact, self.openFor) = (contact, openFor) }

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

    /// - Throws: `bad_request` for oneself.
    package static func checkOther(_ user: UserID, than caller: UserID) throws(Rejection) {
        guard caller != user else { throw Rejection(.badRequest, "user_id: the caller's own") }
    }

    /// - Parameter renewal: how long after the end of a friendship there is no new message request.
    /// - Throws: the refusal; nothing is changed then.
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

    /// What a user may do toward the other.
    package func permission(of user: UserID, now: Timestamp, renewal: Duration) -> MessagingPermission {
        .decide(from: user, to: contact.other(than: user), contact, now: now, renewal: renewal)
    }

    /// Whether a user may send into their conversation: it is open for them, or holds a message request to them.
    package func isAddressable(by user: UserID) -> Bool {
        openFor.map { $0.contains(user) || isAsked(user) } ?? false
    }

    /// Whether a user's messages are shown to nobody else, because the other blocks them.
    package func isWithheld(of user: UserID) -> Bool { contact.isWithheld(of: user) }

    /// Whether the two share their conversation, as far as a user can tell. A hidden message counts as if it had closed
    /// the conversation for the other.
    package func isShared(seenBy user: UserID) -> Bool {
        openFor?.isSuperset(of: contact.users) == true && contact[user].request != .hidden
    }

    /// Whether a user gets `keys.changed` of the other, because they write to them without limit. It depends on their
    /// own permission alone, so that a block looks like an unfollowing.
    package func hearsOfKeys(_ user: UserID, now: Timestamp, renewal: Duration) -> Bool {
        guard isShared(seenBy: user) else { return false }
        switch permission(of: user, now: now, renewal: renewal) {
        case .allowed(.mutualFollow), .allowed(.acceptedRequest): return true
        case .allowed(.anyone):
            // A sender without an answer sees no open conversation until they write.
            switch contact[user].request {
            case .accepted, .open, nil: return true
            case .waiting, .declined, .cancelled, .hidden: return false
            }
        case .request, .refused: return false
        }
    }

    /// Whether a message request of the other waits for the user, or was declined by them.
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

    /// Records that a message in their conversation was accepted under `permission`.
    package mutating func recordMessage(of user: UserID, under permission: MessagingPermission) {
        let other = contact.other(than: user)
        contact.recordMessage(of: user, under: permission)
        openFor?.insert(user)
        switch permission {
        case .allowed: openFor?.insert(other)
        // A recipient who blocks the sender gets no request; their conversation stays open.
        case .request: if !contact[other].blocks { openFor?.remove(other) }
        case .refused: break
        }
    }
}

// MARK: Consequences

extension Relationship {
    /// The effects of a change.
    package struct Consequences: Hashable, Sendable {
        /// The audience of their conversation has changed.
        package var hasNewAudience = false
        /// Users for whom the conversation was opened: they get an event.
        package var opened: [UserID] = []
        package var closed: [UserID] = []
        /// Whether the two have become friends (`true`), or are friends no more (`false`).
        package var friendship: Bool?
        /// Users who have blocked the other (`true`) or have ended their block (`false`).
        package var blocks: [UserID: Bool] = [:]
        /// Recipients of a message request that waits no more: they have answered it or blocked the sender, or the two
        /// have become friends. A withdrawn request is not among them.
        package var answered: [UserID] = []

        package init() {}
    }

    package struct Audience: Hashable, Sendable {
        /// In the order of their ids.
        package let members: [UserID]
        /// Members who block the other: they hear only their own events.
        package let blockers: [UserID]
    }

    /// The audience of the conversation; `nil` without one.
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
