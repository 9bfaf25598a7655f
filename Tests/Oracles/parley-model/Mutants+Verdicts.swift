import ParleyProtocol
import ParleyRules

// Faults in what is decided, and in who follows and blocks whom.

extension Mutant {
    static let verdicts = [
        Mutant("whom anyone may write to cannot block") { engine in
            engine.decide { _, own, other in !own.blocks && other.privacy == .anyone ? .allowed(.anyone) : nil }
        },
        Mutant("a block does not stop those who follow each other") { engine in
            engine.decide { _, own, other in
                own.follows && other.stance == .blocks(restoring: .init(follow: true)) ? .allowed(.mutualFollow) : nil
            }
        },
        Mutant("a block does not stop who was accepted") { engine in
            engine.decide { _, own, other in
                if !own.blocks, case .blocks(let restoration) = other.stance, restoration.acceptance {
                    .allowed(.acceptedRequest)
                } else {
                    nil
                }
            }
        },
        Mutant("who was blocked is told that the one message is spent") { engine in
            engine.decide { _, own, other in !own.blocks && other.blocks ? .refused(.requestLimit) : nil }
        },
        Mutant("mutual follow is named before anyone") { engine in
            engine.decide { contact, _, _ in contact.areFriends ? .allowed(.mutualFollow) : nil }
        },
        Mutant("the allowance is asked before the accepted request") { engine in
            engine.decide { contact, own, other in
                let isFree = contact.isBlocked || contact.areFriends || other.privacy == .anyone
                return !isFree && own.request != nil ? .refused(.requestLimit) : nil
            }
        },
        Mutant("who was blocked is told so") { engine in
            engine.decide { _, _, other in other.blocks ? .refused(.blocked) : nil }
        },
        Mutant("of two who block each other the caller is told of a spent request") { engine in
            engine.decide { _, own, other in own.blocks && other.blocks ? .refused(.requestLimit) : nil }
        },
        Mutant("the caller's own privacy is asked") { engine in
            engine.decide { contact, own, other in
                !contact.isBlocked && own.privacy == .anyone ? .allowed(.anyone) : nil
            }
        },
        Mutant("to be followed is enough") { engine in
            engine.decide { contact, own, other in
                !contact.isBlocked && other.privacy != .anyone && other.follows ? .allowed(.mutualFollow) : nil
            }
        },
        Mutant("who has a request may not answer it") { engine in
            engine.decide { contact, own, other in
                let isPlain = !contact.isBlocked && !contact.areFriends && other.privacy != .anyone
                return isPlain && own.request == nil && other.request == .waiting ? .request : nil
            }
        },
        Mutant("a renewed allowance comes a second late") { engine in
            engine.decide = {
                MessagingPermission.decide(from: $0, to: $1, $2, now: $3, renewal: $4 + .seconds(1))
            }
        },
        Mutant("a renewed allowance comes a second early") { engine in
            engine.decide = {
                MessagingPermission.decide(from: $0, to: $1, $2, now: $3, renewal: $4 - .seconds(1))
            }
        },
        Mutant("typing is shown to whom one has only asked") { engine in
            engine.permits = { $0 == .request && $1 == .typing || $0.permits($1) }
        },
        Mutant("nobody is told apart from themselves") { engine in
            engine.decide = { sender, recipient, contact, now, renewal in
                sender == recipient
                    ? .refused(.unknownUser)
                    : MessagingPermission.decide(from: sender, to: recipient, contact, now: now, renewal: renewal)
            }
        },
    ]
}

extension Mutant {
    static let relations = [
        Mutant("whom one has blocked one can follow") { engine in
            engine.instead(of: .follow) { contact, user, _ throws(Rejection) in
                guard contact[user].blocks else { return try contact.follow(by: user) }
                contact.change(user) { own, _ in own.stance = .follows }
            }
        },
        Mutant("who was blocked cannot follow") { engine in
            engine.instead(of: .follow) { contact, user, _ throws(Rejection) in
                if contact[contact.other(than: user)].blocks { throw .userNotFound }
                try contact.follow(by: user)
            }
        },
        Mutant("following back does not restart the count") { engine in
            engine.instead(of: .follow) { contact, user, _ throws(Rejection) in
                if contact[user].blocks { throw .blocked }
                contact.change(user) { own, _ in own.stance = .follows }
            }
        },
        Mutant("following back forgets what was accepted") { engine in
            engine.after(.follow) { own, other in
                if own.follows, other.follows { (own.request, other.request) = (nil, nil) }
            }
        },
        Mutant("the count restarts though a block ended the friendship") { engine in
            engine.after(.follow) { own, other in
                guard own.follows, other.blocks else { return }
                if own.request != .accepted { own.request = nil }
                if other.request != .accepted { other.request = nil }
            }
        },
        Mutant("an unfollowing renews the allowance") { engine in
            engine.instead(of: .unfollow) { contact, user, now in
                contact.unfollow(by: user, now: now)
                contact.change(user, friendsUntil: .some(nil)) { _, _ in }
            }
        },
        Mutant("to unfollow whom one does not follow starts the thirty days") { engine in
            engine.instead(of: .unfollow) { contact, user, now in
                contact.unfollow(by: user, now: now)
                contact.change(user, friendsUntil: now) { _, _ in }
            }
        },
        Mutant("an unfollowing behind one's own block comes to nothing") { engine in
            engine.instead(of: .unfollow) { contact, user, now in
                if !contact[user].blocks { contact.unfollow(by: user, now: now) }
            }
        },
        Mutant("an unfollowing ends one's own block") { engine in
            engine.after(.unfollow) { own, _ in own.stance = .neutral }
        },
        Mutant("a block ends the other's following, too") { engine in
            engine.after(.block) { _, other in if other.follows { other.stance = .neutral } }
        },
        Mutant("a block is not the end of a friendship") { engine in
            engine.instead(of: .block) { contact, user, now in
                let before = contact.friendsUntil
                contact.block(by: user, now: now)
                contact.change(user, friendsUntil: before) { _, _ in }
            }
        },
        Mutant("a second block starts the thirty days anew") { engine in
            engine.instead(of: .block) { contact, user, now in
                let isAgain = contact[user].blocks && contact.friendsUntil != nil
                contact.block(by: user, now: now)
                if isAgain { contact.change(user, friendsUntil: now) { _, _ in } }
            }
        },
        Mutant("an unblocking restores no following") { engine in
            engine.instead(of: .unblock) { contact, user, now in
                contact.unfollow(by: user, now: now)
                contact.unblock(by: user)
            }
        },
        Mutant("an unblocking restores no acceptance") { engine in
            engine.after(.unblock) { own, other in
                (own.request, other.request) = (own.request.withoutAcceptance, other.request.withoutAcceptance)
            }
        },
        Mutant("an unblocking makes every blocker a follower") { engine in
            engine.instead(of: .unblock) { contact, user, _ in
                contact.unblock(by: user)
                contact.change(user) { own, _ in own.stance = .follows }
            }
        },
        Mutant("an unblocking does not restart the count") { engine in
            engine.instead(of: .unblock) { contact, user, _ in
                let other = contact.other(than: user)
                let requests = (contact[user].request, contact[other].request)
                contact.unblock(by: user)
                guard contact.areFriends else { return }
                contact.change(user) { own, other in
                    if own.request == nil { own.request = requests.0 }
                    if other.request == nil { other.request = requests.1 }
                }
            }
        },
    ]
}

extension MessageRequestState? {
    /// What was accepted, as if it had been declined.
    fileprivate var withoutAcceptance: Self { self == .accepted ? .declined : self }
}
