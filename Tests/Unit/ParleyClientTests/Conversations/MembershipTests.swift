import Testing

@testable import ParleyClient

@Suite("What the user is in a conversation, and whether the device hears it")
struct MembershipTests {
    private static let all: [Membership] = [
        .unfollowed, .followed, .unanswered, .former(wasOpen: true), .former(wasOpen: false),
        .requested(before: .unanswered), .requested(before: .former(wasOpen: true)),
        .requested(before: .former(wasOpen: false)),
    ]

    @Test("each case says who is a member, what lists show and what is subscribed to")
    func cases() {
        #expect(Self.all.map(\.isMember) == [true, true, true, false, false, true, false, false])
        #expect(Self.all.map(\.isOpen) == [true, true, false, true, false, false, true, false])
        #expect(Self.all.map(\.isFollowed) == [false, true, false, false, false, true, true, true])
    }

    @Test("to subscribe changes nothing of what the user is", arguments: all)
    func follow(before: Membership) {
        var after = before
        after.follow()
        #expect(after.isFollowed)
        #expect(after.isMember == before.isMember && after.isOpen == before.isOpen)
        let once = after
        after.follow()
        #expect(after == once)
    }

    @Test("whoever is in it again hears it, unless only some conversations are followed", arguments: all)
    func join(before: Membership) {
        var all = before
        all.join(following: true)
        #expect(all == .followed)
        var some = before
        some.join(following: false)
        #expect(some == (before.isFollowed ? .followed : .unfollowed))
    }

    @Test("whoever leaves hears nothing more, and sees it as far as before", arguments: all)
    func leave(before: Membership) {
        var after = before
        after.leave()
        #expect(after == .former(wasOpen: before.isOpen))
        #expect(!after.isMember && !after.isFollowed)
    }

    @Test("what is kept of it comes back as it was, without a subscription")
    func kept() {
        for before in Self.all {
            let back = Membership(isMember: before.isMember, isOpen: before.isOpen)
            #expect(!back.isFollowed)
            #expect(back.isMember == before.isMember && back.isOpen == before.isOpen)
        }
    }
}
