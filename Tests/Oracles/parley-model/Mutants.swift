import ParleyProtocol
import ParleyRules

/// The engine with one fault: a comparison that passes any of them is worth nothing.
package struct Mutant: Sendable, CustomStringConvertible {
    package let description: String
    package let engine: Engine

    init(_ fault: String, _ change: (inout Engine) -> Void) {
        description = fault
        var engine = Engine()
        change(&engine)
        self.engine = engine
    }

    package static let all = verdicts + relations + requests + sides
}

extension Engine {
    typealias Change = @Sendable (inout Contact, UserID, Timestamp) throws(Rejection) -> Void

    /// Decides as the fault does, and where it says nothing, as the engine.
    mutating func decide(
        _ fault: @escaping @Sendable (Contact, _ own: Contact.Side, _ other: Contact.Side) -> MessagingPermission?
    ) {
        decide = { sender, recipient, contact, now, renewal in
            if let contact, let verdict = fault(contact, contact[sender], contact[recipient]) { return verdict }
            return MessagingPermission.decide(from: sender, to: recipient, contact, now: now, renewal: renewal)
        }
    }

    /// Does something else to the contact; to the conversation what the engine does.
    mutating func instead(of act: Relationship.Act, _ fault: @escaping Change) {
        perform = { [perform] relationship, performed, user, now throws(Rejection) in
            guard performed == act else { return try perform(&relationship, performed, user, now) }
            var (contact, sound) = (relationship.contact, relationship)
            try fault(&contact, user, now)
            do throws(Rejection) { try perform(&sound, act, user, now) } catch {}
            relationship = Relationship(contact, openFor: sound.openFor)
        }
    }

    /// Does what the engine does, and then what the fault does to the two sides.
    mutating func after(
        _ act: Relationship.Act, _ fault: @escaping @Sendable (_ own: inout Contact.Side, inout Contact.Side) -> Void
    ) {
        instead(of: act) { [perform] contact, user, now throws(Rejection) in
            var relationship = Relationship(contact, openFor: [])
            try perform(&relationship, act, user, now)
            contact = relationship.contact
            contact.change(user, fault)
        }
    }

    /// Does to the contact what the engine does, and something else to the conversation.
    mutating func leaving(
        _ act: Relationship.Act, _ fault: @escaping @Sendable (_ before: Relationship, UserID) -> Set<UserID>?
    ) {
        perform = { [perform] relationship, performed, user, now throws(Rejection) in
            let before = relationship
            try perform(&relationship, performed, user, now)
            if performed == act { relationship = Relationship(relationship.contact, openFor: fault(before, user)) }
        }
    }

    /// Does what the engine does about some messages only.
    mutating func writing(
        _ fault: @escaping @Sendable (inout Relationship, UserID, MessagingPermission) -> Bool
    ) {
        wrote = { [wrote] relationship, user, permission in
            if !fault(&relationship, user, permission) { wrote(&relationship, user, permission) }
        }
    }
}

extension Contact {
    mutating func change(
        _ user: UserID, friendsUntil: Timestamp?? = nil, _ body: (_ own: inout Side, _ other: inout Side) -> Void
    ) {
        let another = other(than: user)
        var (own, other) = (self[user], self[another])
        body(&own, &other)
        self = Contact(user, own, another, other, friendsUntil: friendsUntil ?? self.friendsUntil)
    }
}

extension Relationship {
    /// Notes the message between the two, and leaves the contact as `body` makes it.
    mutating func wrote(
        _ user: UserID, _ permission: MessagingPermission, _ body: (_ before: Contact, inout Contact) -> Void
    ) {
        let before = contact
        recordMessage(of: user, under: permission)
        var contact = contact
        body(before, &contact)
        self = Relationship(contact, openFor: openFor)
    }
}
