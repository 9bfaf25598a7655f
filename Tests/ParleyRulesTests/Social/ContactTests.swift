import ParleyProtocol
import ParleyRules
import Testing

@Suite("What people do changes what is between them")
struct ContactTests {
    private static let alice: UserID = "alice"
    private static let bob: UserID = "bob"

    /// Alice's side first.
    private static func contact(
        _ alice: Contact.Side = .init(), _ bob: Contact.Side = .init(), friendsUntil: Timestamp? = nil
    ) -> Contact {
        Contact(Self.alice, alice, Self.bob, bob, friendsUntil: friendsUntil)
    }

    private func contact(alice: MessageRequestState?, bob: MessageRequestState? = nil) -> Contact {
        Self.contact(.init(request: alice), .init(request: bob))
    }

    // MARK: Following

    @Test("friends are two who follow each other, and neither has blocked the other")
    func friends() throws {
        var contact = Self.contact()
        try contact.follow(by: Self.alice)
        #expect(!contact.areFriends)
        try contact.follow(by: Self.bob)
        #expect(contact.areFriends)
        contact.block(by: Self.bob)
        #expect(!contact.areFriends)
        #expect(contact.followEachOther)
        contact.unblock(by: Self.bob)
        #expect(contact.areFriends)
    }

    @Test("whom one has blocked one does not follow; whom one was blocked by one does")
    func followingTheBlocked() throws {
        var contact = Self.contact(.init(blocks: true))
        #expect(rejection { () throws(Rejection) in try contact.follow(by: Self.alice) } == .blocked)
        #expect(!contact[Self.alice].follows)
        try contact.follow(by: Self.bob)
        #expect(contact[Self.bob].follows)
    }

    @Test(
        "to become friends restarts the count, but takes back no consent",
        arguments: [
            (.waiting, nil), (.declined, nil), (.cancelled, nil), (.open, nil), (.accepted, .accepted), (nil, nil),
        ] as [(MessageRequestState?, MessageRequestState?)])
    func becomingFriends(_ before: MessageRequestState?, _ after: MessageRequestState?) throws {
        var contact = Self.contact(.init(follows: true, request: before), .init(request: before))
        try contact.follow(by: Self.bob)
        #expect(contact[Self.alice].request == after)
        #expect(contact[Self.bob].request == after)
    }

    @Test("a follow that a block hides restarts no count; the unblocking does that makes them friends")
    func becomingFriendsByUnblocking() throws {
        var contact = Self.contact(.init(request: .cancelled), .init(follows: true, blocks: true))
        try contact.follow(by: Self.alice)
        #expect(contact[Self.alice].request == .cancelled)
        contact.unblock(by: Self.bob)
        #expect(contact[Self.alice].request == nil)
    }

    @Test("an unfollowing is noted where each followed the other, whoever it is and whatever a block hides")
    func unfollowing() {
        for user in [Self.alice, Self.bob] {
            var friends = Self.contact(.init(follows: true), .init(follows: true))
            friends.unfollow(by: user, now: at(5))
            #expect(friends.friendsUntil == at(5))
            var hidden = Self.contact(.init(follows: true, blocks: true), .init(follows: true))
            hidden.unfollow(by: user, now: at(5))
            #expect(hidden.friendsUntil == at(5))
            var oneSided = Self.contact(.init(follows: user == Self.alice), .init(follows: user == Self.bob))
            oneSided.unfollow(by: user, now: at(5))
            #expect(oneSided.friendsUntil == nil)
        }
    }

    @Test("to unfollow again does not start the thirty days anew")
    func unfollowingAgain() {
        var contact = Self.contact(.init(follows: true), .init(follows: true))
        contact.unfollow(by: Self.alice, now: at(5))
        contact.unfollow(by: Self.alice, now: at(9))
        contact.unfollow(by: Self.bob, now: at(9))
        #expect(contact.friendsUntil == at(5))
    }

    // MARK: Blocking

    @Test("a block ends the requests that wait, in both directions, and no other")
    func blocking() {
        for blocker in [Self.alice, Self.bob] {
            for state in MessageRequestState.allCases {
                var contact = contact(alice: state)
                contact.block(by: blocker)
                #expect(contact[Self.alice].request == (state == .waiting ? .cancelled : state))
                contact.unblock(by: blocker)
                #expect(contact[Self.alice].request == (state == .waiting ? .cancelled : state))
            }
        }
    }

    @Test("a block leaves who follows whom as it is")
    func blockingAFriend() {
        var contact = Self.contact(.init(follows: true), .init(follows: true))
        contact.block(by: Self.alice)
        #expect(contact[Self.alice].follows && contact[Self.bob].follows)
        #expect(contact.friendsUntil == nil)
    }

    // MARK: Answering

    @Test(
        "accepting accepts what waits, what was declined and what was written freely, and may be repeated",
        arguments: MessageRequestState.allCases)
    func accepting(_ state: MessageRequestState) throws {
        var contact = contact(alice: state)
        guard state != .cancelled else {
            #expect(rejection { () throws(Rejection) in try contact.accept(by: Self.bob) } == .requestNotFound)
            return #expect(contact[Self.alice].request == .cancelled)
        }
        try contact.accept(by: Self.bob)
        try contact.accept(by: Self.bob)
        #expect(contact[Self.alice].request == .accepted)
        #expect(contact[Self.bob].request == nil)
    }

    @Test(
        "declining ends what waits and takes nothing back", arguments: MessageRequestState.allCases)
    func declining(_ state: MessageRequestState) throws {
        var contact = contact(alice: state)
        guard state != .cancelled else {
            return #expect(rejection { () throws(Rejection) in try contact.decline(by: Self.bob) } == .requestNotFound)
        }
        try contact.decline(by: Self.bob)
        try contact.decline(by: Self.bob)
        #expect(contact[Self.alice].request == (state == .waiting ? .declined : state))
    }

    @Test("who has not been asked has nothing to accept or decline, unless following back has opened it before")
    func nothingAsked() throws {
        var contact = contact(alice: .waiting)
        #expect(rejection { () throws(Rejection) in try contact.accept(by: Self.alice) } == .requestNotFound)
        #expect(rejection { () throws(Rejection) in try contact.decline(by: Self.alice) } == .requestNotFound)
        var friends = Self.contact(.init(follows: true), .init(follows: true))
        try friends.accept(by: Self.alice)
        try friends.decline(by: Self.alice)
        #expect(!friends.isAccepted)
    }

    // MARK: Writing

    @Test("a message under a request waits")
    func asking() {
        var contact = Self.contact()
        contact.wrote(Self.alice, under: .request)
        #expect(contact[Self.alice].request == .waiting)
        #expect(contact[Self.bob].request == nil)
    }

    @Test(
        "an answer accepts what can be answered", arguments: MessageRequestState.allCases,
        [MessagingPermission.Ground.anyone, .acceptedRequest])
    func answering(_ state: MessageRequestState, _ ground: MessagingPermission.Ground) {
        var contact = contact(alice: state)
        contact.wrote(Self.bob, under: .allowed(ground))
        #expect(contact[Self.alice].request == (state == .cancelled ? .cancelled : .accepted))
    }

    @Test("what is written while anyone may takes the place of what was asked")
    func writingToAnyone() {
        for state in [nil] + MessageRequestState.allCases.map(Optional.some) {
            var contact = contact(alice: state)
            contact.wrote(Self.alice, under: .allowed(.anyone))
            #expect(contact[Self.alice].request == (state == .accepted ? .accepted : .open))
        }
    }

    @Test("to a friend one writes as a friend, also where anyone may")
    func writingToFriends() {
        for ground in [MessagingPermission.Ground.anyone, .mutualFollow] {
            var contact = Self.contact(.init(follows: true), .init(follows: true, privacy: .anyone))
            contact.wrote(Self.alice, under: .allowed(ground))
            #expect(contact[Self.alice].request == nil)
        }
    }
}
