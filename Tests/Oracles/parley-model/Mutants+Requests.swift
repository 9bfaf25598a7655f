import ParleyProtocol
import ParleyRules

// Faults in what becomes of a request, and in whose the conversation is.

extension Mutant {
    static let requests = [
        Mutant("a block takes back nothing") { engine in
            engine.instead(of: .block) { contact, user, now in
                let requests = contact.users.map { contact[$0].request }
                contact.block(by: user, now: now)
                let isFirst = user == contact.users[0]
                contact.change(user) { own, other in
                    (own.request, other.request) = (requests[isFirst ? 0 : 1], requests[isFirst ? 1 : 0])
                }
            }
        },
        Mutant("a block leaves the request that the blocker has sent") { engine in
            engine.instead(of: .block) { contact, user, now in
                let asked = contact[user].request
                contact.block(by: user, now: now)
                contact.change(user) { own, _ in own.request = asked }
            }
        },
        Mutant("a block gives back the one message") { engine in
            engine.after(.block) { _, other in other.request = nil }
        },
        Mutant("what a block has ended while it waited can be accepted one day") { engine in
            engine.after(.block) { _, other in if other.request == .cancelled { other.request = .declined } }
        },
        Mutant("an unblocking brings cancelled requests back") { engine in
            engine.after(.unblock) { _, other in if other.request == .cancelled { other.request = .waiting } }
        },
        Mutant("an unblocking restores what was never accepted") { engine in
            engine.after(.unblock) { _, other in if other.request == .declined { other.request = .accepted } }
        },
        Mutant("whoever blocks can accept") { engine in
            engine.instead(of: .accept) { contact, user, _ throws(Rejection) in
                guard contact[user].blocks else { return try contact.accept(by: user) }
                contact.change(user) { _, other in if other.request == .declined { other.request = .accepted } }
            }
        },
        Mutant("accepting does nothing") { engine in
            engine.instead(of: .accept) { contact, user, _ throws(Rejection) in
                var ignored = contact
                try ignored.accept(by: user)
            }
        },
        Mutant("what was declined cannot be accepted") { engine in
            engine.instead(of: .accept) { contact, user, _ throws(Rejection) in
                if contact[contact.other(than: user)].request == .declined { throw .requestNotFound }
                try contact.accept(by: user)
            }
        },
        Mutant("declining gives back the one message") { engine in
            engine.after(.decline) { _, other in if other.request == .declined { other.request = nil } }
        },
        Mutant("declining leaves the request in the list") { engine in
            engine.instead(of: .decline) { contact, user, _ throws(Rejection) in
                var ignored = contact
                try ignored.decline(by: user)
            }
        },
        Mutant("declining takes back nothing that was accepted") { engine in
            engine.instead(of: .decline) { contact, user, _ throws(Rejection) in
                let before = contact
                try contact.decline(by: user)
                if before.isAccepted { contact = before }
            }
        },
        Mutant("declining leaves what one has asked oneself") { engine in
            engine.instead(of: .decline) { contact, user, _ throws(Rejection) in
                let asked = contact[user].request
                try contact.decline(by: user)
                contact.change(user) { own, _ in own.request = asked }
            }
        },
        Mutant("declining behind one's own block is forgotten with the block") { engine in
            engine.instead(of: .decline) { contact, user, _ throws(Rejection) in
                let stance = contact[user].stance
                try contact.decline(by: user)
                contact.change(user) { own, _ in own.stance = stance }
            }
        },
        Mutant("what is written to whoever blocks waits for them") { engine in
            engine.writing { relationship, user, permission in
                guard permission == .request else { return false }
                relationship.wrote(user, permission) { _, contact in
                    contact.change(user) { own, _ in own.request = .waiting }
                }
                return true
            }
        },
        Mutant("what was written to whoever blocks waits when the block ends") { engine in
            engine.instead(of: .unblock) { contact, user, _ in
                let wasHidden = contact[contact.other(than: user)].request == .hidden
                contact.unblock(by: user)
                if wasHidden { contact.change(user) { _, other in other.request = .waiting } }
            }
        },
        Mutant("a request is not spent") { engine in
            engine.writing { relationship, user, permission in
                guard permission == .request else { return false }
                relationship.wrote(user, permission) { before, contact in contact = before }
                return true
            }
        },
        Mutant("an answer does not accept") { engine in
            engine.writing { relationship, user, permission in
                guard permission == .allowed(.acceptedRequest) else { return false }
                relationship.wrote(user, permission) { before, contact in contact = before }
                return true
            }
        },
        Mutant("what was written to anyone is not remembered") { engine in
            engine.writing { relationship, user, permission in
                guard permission == .allowed(.anyone) else { return false }
                relationship.wrote(user, permission) { before, contact in contact = before }
                return true
            }
        },
        Mutant("an answer to anyone does not accept") { engine in
            engine.writing { relationship, user, permission in
                guard permission == .allowed(.anyone), !relationship.contact.areFriends else { return false }
                relationship.wrote(user, permission) { before, contact in
                    contact = before
                    contact.change(user) { own, _ in if own.request != .accepted { own.request = .open } }
                }
                return true
            }
        },
        Mutant("a friend whom anyone may write to is asked") { engine in
            engine.writing { relationship, user, permission in
                guard permission == .allowed(.anyone), relationship.contact.areFriends else { return false }
                relationship.wrote(user, permission) { _, contact in
                    contact.change(user) { own, _ in if own.request != .accepted { own.request = .open } }
                }
                return true
            }
        },
    ]

    static let sides = [
        Mutant("making a conversation opens it for a stranger") { engine in
            engine.leaving(.create) { before, _ in Set(before.contact.users) }
        },
        Mutant("making a conversation in which one was asked opens it") { engine in
            engine.leaving(.create) { before, user in (before.openFor ?? []).union([user]) }
        },
        Mutant("accepting leaves the conversation closed") { engine in
            engine.leaving(.accept) { before, _ in before.openFor }
        },
        Mutant("following back leaves the conversation closed") { engine in
            engine.leaving(.follow) { before, _ in before.openFor }
        },
        Mutant("friends again by an unblocking, the conversation stays closed") { engine in
            engine.leaving(.unblock) { before, _ in before.openFor }
        },
        Mutant("declining opens the conversation") { engine in
            engine.leaving(.decline) { before, user in before.openFor?.union([user]) }
        },
        Mutant("what is written to whoever blocks closes the conversation for them") { engine in
            engine.writing { relationship, user, permission in
                guard permission == .request else { return false }
                let other = relationship.contact.other(than: user)
                relationship.recordMessage(of: user, under: permission)
                relationship = Relationship(relationship.contact, openFor: relationship.openFor?.subtracting([other]))
                return true
            }
        },
        Mutant("a block closes the conversation") { engine in
            engine.leaving(.block) { before, user in before.openFor?.subtracting([user]) }
        },
        Mutant("a request leaves the conversation open for whom it asks") { engine in
            engine.writing { relationship, user, permission in
                guard permission == .request else { return false }
                let before = relationship.openFor
                relationship.recordMessage(of: user, under: permission)
                relationship = Relationship(relationship.contact, openFor: before?.union([user]))
                return true
            }
        },
        Mutant("a message without limit leaves the other's side closed") { engine in
            engine.writing { relationship, user, permission in
                guard permission != .request else { return false }
                let before = relationship.openFor
                relationship.recordMessage(of: user, under: permission)
                relationship = Relationship(relationship.contact, openFor: before?.union([user]))
                return true
            }
        },
    ]
}
