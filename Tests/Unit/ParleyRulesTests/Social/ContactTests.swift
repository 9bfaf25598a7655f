import ParleyProtocol
import ParleyRules
import TestNames
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
        contact.block(by: Self.bob, now: at(0))
        #expect(!contact.areFriends)
        #expect(contact[Self.alice].follows)
        contact.unblock(by: Self.bob)
        #expect(contact.areFriends)
    }

    @Test("whom one has blocked one does not follow; whom one was blocked by one does")
    func followingTheBlocked() throws {
        var contact = Self.contact(.init(blocks: true))
        #expect(rejection { try contact.follow(by: Self.alice) } == .blocked)
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

    @Test("to follow whom one was blocked by restarts no count; the unblocking does that makes them friends")
    func becomingFriendsByUnblocking() throws {
        var contact = Self.contact(.init(request: .cancelled), .init(follows: true, blocks: true))
        try contact.follow(by: Self.alice)
        #expect(contact[Self.alice].request == .cancelled)
        contact.unblock(by: Self.bob)
        #expect(contact[Self.alice].request == nil)
    }

    @Test("an unfollowing is noted where each followed the other, whoever it is; a block is one")
    func unfollowing() {
        for user in [Self.alice, Self.bob] {
            var friends = Self.contact(.init(follows: true), .init(follows: true))
            friends.unfollow(by: user, now: at(5))
            #expect(friends.friendsUntil == at(5))
            var blocked = Self.contact(.init(follows: true), .init(follows: true))
            blocked.block(by: user, now: at(5))
            for user in [Self.alice, Self.bob] { blocked.unfollow(by: user, now: at(9)) }
            #expect(blocked.friendsUntil == at(5))
            var oneSided = Self.contact(.init(follows: user == Self.alice), .init(follows: user == Self.bob))
            oneSided.unfollow(by: user, now: at(5))
            oneSided.block(by: user, now: at(5))
            #expect(oneSided.friendsUntil == nil)
        }
    }

    @Test("an unfollowing behind one's own block keeps its end from restoring the following")
    func unfollowingWhomOneBlocks() {
        var contact = Self.contact(.init(follows: true), .init(follows: true))
        contact.block(by: Self.alice, now: at(5))
        contact.unfollow(by: Self.alice, now: at(6))
        #expect(contact[Self.alice].blocks)
        contact.unblock(by: Self.alice)
        #expect(contact[Self.alice].stance == .neutral)
        #expect(!contact.areFriends)
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

    @Test(
        "a block ends what waits for good, takes back what was accepted, and gives that back when it ends",
        arguments: MessageRequestState.allCases)
    func blocking(_ state: MessageRequestState) {
        let after: [MessageRequestState: (blocked: MessageRequestState, unblocked: MessageRequestState)] = [
            .waiting: (.cancelled, .cancelled), .accepted: (.declined, .accepted), .declined: (.declined, .declined),
            .cancelled: (.cancelled, .cancelled), .open: (.declined, .declined), .hidden: (.hidden, .cancelled),
        ]
        var contact = contact(alice: state)
        for _ in 0..<2 { contact.block(by: Self.bob, now: at(5)) }
        #expect(contact[Self.alice].request == after[state]?.blocked)
        #expect(contact[Self.bob].request == nil)
        for _ in 0..<2 { contact.unblock(by: Self.bob) }
        #expect(contact[Self.alice].request == after[state]?.unblocked)
    }

    @Test("whoever blocks asks nothing any more", arguments: MessageRequestState.allCases)
    func blockingByTheAsker(_ state: MessageRequestState) {
        var contact = contact(alice: state)
        contact.block(by: Self.alice, now: at(5))
        #expect(contact[Self.alice].request == (state == .hidden ? .hidden : .cancelled))
        #expect(contact[Self.bob].request == (state == .accepted ? .declined : nil))
        contact.unblock(by: Self.alice)
        #expect(contact.isAccepted == (state == .accepted))
    }

    @Test("what one of the two takes back during a block is not restored by its end, nor what the other's block ended")
    func takingBackDuringABlock() throws {
        for act in 0..<3 {
            var contact = contact(alice: .accepted)
            contact.block(by: Self.bob, now: at(5))
            switch act {
            case 0: try contact.decline(by: Self.alice)
            case 1: try contact.decline(by: Self.bob)
            default:
                contact.block(by: Self.alice, now: at(6))
                contact.unblock(by: Self.alice)
            }
            contact.unblock(by: Self.bob)
            #expect(!contact.isAccepted)
        }
    }

    @Test("what is written to whoever blocks waits for nobody, and nothing ever comes of it")
    func hiddenRequest() throws {
        var contact = Self.contact(.init(), .init(blocks: true))
        contact.recordMessage(of: Self.alice, under: .request)
        #expect(contact[Self.alice].request == .hidden)
        #expect(rejection { try contact.accept(by: Self.bob) } == .requestNotFound)
        #expect(rejection { try contact.decline(by: Self.bob) } == .requestNotFound)
        contact.unblock(by: Self.bob)
        #expect(contact[Self.alice].request == .cancelled)
    }

    // MARK: Answering

    @Test(
        "accepting accepts what waits, what was declined and what was written freely, and may be repeated",
        arguments: MessageRequestState.allCases)
    func accepting(_ state: MessageRequestState) throws {
        var contact = contact(alice: state)
        guard state != .cancelled, state != .hidden else {
            #expect(rejection { try contact.accept(by: Self.bob) } == .requestNotFound)
            return #expect(contact[Self.alice].request == state)
        }
        try contact.accept(by: Self.bob)
        try contact.accept(by: Self.bob)
        #expect(contact[Self.alice].request == .accepted)
        #expect(contact[Self.bob].request == nil)
    }

    @Test("declining ends what waits, and takes back what was accepted", arguments: MessageRequestState.allCases)
    func declining(_ state: MessageRequestState) throws {
        var contact = contact(alice: state)
        guard state != .cancelled, state != .hidden else {
            return #expect(rejection { try contact.decline(by: Self.bob) } == .requestNotFound)
        }
        try contact.decline(by: Self.bob)
        try contact.decline(by: Self.bob)
        #expect(contact[Self.alice].request == .declined)
        #expect(contact[Self.bob].request == nil)
    }

    @Test(
        "whoever has asked takes it back by declining, and may ask no more by it",
        arguments: MessageRequestState.allCases)
    func takingBack(_ state: MessageRequestState) throws {
        var contact = contact(alice: state)
        try contact.decline(by: Self.alice)
        try contact.decline(by: Self.alice)
        #expect(contact[Self.alice].request == (state == .hidden ? .hidden : .cancelled))
        // What the other had said yes to they may write by, as if they had been asked.
        #expect(contact[Self.bob].request == (state == .accepted ? .declined : nil))
    }

    @Test("whoever blocks accepts nothing")
    func acceptingWhomOneBlocks() throws {
        var contact = contact(alice: .declined)
        contact.block(by: Self.bob, now: at(5))
        #expect(rejection { try contact.accept(by: Self.bob) } == .blocked)
        #expect(contact[Self.alice].request == .declined)
    }

    @Test("who has not been asked has nothing to accept or decline, unless following back has opened it before")
    func nothingAsked() throws {
        var contact = contact(alice: .waiting)
        #expect(rejection { try contact.accept(by: Self.alice) } == .requestNotFound)
        contact = Self.contact()
        #expect(rejection { try contact.accept(by: Self.alice) } == .requestNotFound)
        #expect(rejection { try contact.decline(by: Self.alice) } == .requestNotFound)
        var friends = Self.contact(.init(follows: true), .init(follows: true))
        try friends.accept(by: Self.alice)
        try friends.decline(by: Self.alice)
        #expect(!friends.isAccepted)
    }

    // MARK: Writing

    @Test("a message under a request waits")
    func asking() {
        var contact = Self.contact()
        contact.recordMessage(of: Self.alice, under: .request)
        #expect(contact[Self.alice].request == .waiting)
        #expect(contact[Self.bob].request == nil)
    }

    @Test(
        "an answer accepts what can be answered", arguments: MessageRequestState.allCases,
        [MessagingPermission.Ground.anyone, .acceptedRequest])
    func answering(_ state: MessageRequestState, _ ground: MessagingPermission.Ground) {
        var contact = contact(alice: state)
        contact.recordMessage(of: Self.bob, under: .allowed(ground))
        let isOver = state == .cancelled || state == .hidden
        #expect(contact[Self.alice].request == (isOver ? state : .accepted))
    }

    @Test("what is written while anyone may takes the place of what was asked")
    func writingToAnyone() {
        for state in [nil] + MessageRequestState.allCases.map(Optional.some) {
            var contact = contact(alice: state)
            contact.recordMessage(of: Self.alice, under: .allowed(.anyone))
            #expect(contact[Self.alice].request == (state == .accepted ? .accepted : .open))
        }
    }

    @Test("to a friend one writes as a friend, also where anyone may")
    func writingToFriends() {
        for ground in [MessagingPermission.Ground.anyone, .mutualFollow] {
            var contact = Self.contact(.init(follows: true), .init(follows: true, privacy: .anyone))
            contact.recordMessage(of: Self.alice, under: .allowed(ground))
            #expect(contact[Self.alice].request == nil)
        }
    }
}
