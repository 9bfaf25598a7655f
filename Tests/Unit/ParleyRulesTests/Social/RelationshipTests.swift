import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// Two people and their conversation: what each act changes, and what follows.
@Suite("What two people can do to their relationship")
struct RelationshipTests {
    private static let renewal = MessagingPermissionTests.renewal

    /// Performs acts one after the other; refusals are part of the answer.
    private static func after(
        _ acts: [(UserID, Relationship.Act)],
        from start: Relationship = Relationship(Contact(strangers: "alice", "bob"), openFor: nil)
    ) -> (Relationship, [Rejection?]) {
        var relationship = start
        let refusals = acts.map { user, act in
            rejection { try relationship.perform(act, by: user, now: at(0), renewal: .milliseconds(renewal)) }
        }
        return (relationship, refusals)
    }

    @Test(
        "for whom the conversation is open",
        arguments: [
            ([("alice", .create)], ["alice"]),
            ([("alice", .create), ("alice", .write)], ["alice"]),
            ([("alice", .create), ("alice", .write), ("bob", .create)], ["alice"]),
            ([("alice", .create), ("alice", .write), ("bob", .decline), ("bob", .create)], ["alice"]),
            ([("alice", .create), ("bob", .create)], ["alice", "bob"]),
            ([("alice", .create), ("alice", .write), ("bob", .accept)], ["alice", "bob"]),
            ([("alice", .create), ("alice", .write), ("bob", .write)], ["alice", "bob"]),
            ([("alice", .create), ("alice", .write), ("bob", .decline), ("bob", .write)], ["alice", "bob"]),
            ([("alice", .create), ("alice", .follow), ("bob", .follow)], ["alice", "bob"]),
            ([("alice", .follow), ("bob", .follow), ("alice", .create)], ["alice", "bob"]),
            ([("bob", .setPrivacy(.anyone)), ("alice", .create)], ["alice", "bob"]),
            ([("alice", .create), ("bob", .setPrivacy(.anyone))], ["alice"]),
            ([("alice", .create), ("bob", .setPrivacy(.anyone)), ("alice", .write)], ["alice", "bob"]),
            // A request takes back what was opened before.
            (
                [
                    ("bob", .setPrivacy(.anyone)), ("alice", .create), ("bob", .setPrivacy(.followers)),
                    ("alice", .write),
                ], ["alice"]
            ),
            ([("bob", .block), ("alice", .create)], ["alice"]),
            ([("alice", .block), ("alice", .create)], ["alice"]),
            // Friends again when the block ends.
            (
                [
                    ("alice", .follow), ("bob", .follow), ("bob", .block), ("alice", .create), ("bob", .unblock),
                ], ["alice", "bob"]
            ),
        ] as [([(UserID, Relationship.Act)], Set<UserID>)])
    func sides(acts: [(UserID, Relationship.Act)], open: Set<UserID>) {
        let (relationship, refusals) = Self.after(acts)
        #expect(relationship.openFor == open)
        #expect(refusals.allSatisfy { $0 == nil })
    }

    @Test(
        "whoever may write without limit where both are hears of the other's keys, and nobody else",
        arguments: [
            ([], false, false),
            ([("alice", .follow), ("bob", .follow)], true, true),
            ([("alice", .follow), ("bob", .follow), ("bob", .unfollow)], false, false),
            // Whoever was blocked hears what they would of somebody who has unfollowed them; the blocker hears nothing.
            ([("alice", .follow), ("bob", .follow), ("bob", .block)], false, false),
            ([("alice", .follow), ("bob", .follow), ("bob", .block), ("bob", .unblock)], true, true),
            ([("alice", .write), ("bob", .accept)], true, true),
            ([("alice", .write), ("bob", .accept), ("bob", .decline)], false, true),
            ([("alice", .write), ("bob", .accept), ("bob", .block)], false, false),
            // A request waits; and one that was declined.
            ([("alice", .write)], false, false),
            ([("alice", .write), ("bob", .decline)], false, false),
            // Both have made it, and may write one message each.
            ([("bob", .create)], false, false),
            ([("bob", .setPrivacy(.anyone)), ("alice", .write)], true, true),
            ([("bob", .setPrivacy(.anyone)), ("alice", .write), ("bob", .setPrivacy(.followers))], false, true),
            ([("bob", .setPrivacy(.anyone)), ("alice", .write), ("bob", .block)], false, false),
            // Written during a block, which has ended: to Alice it is a request that nobody has answered.
            (
                [
                    ("bob", .setPrivacy(.anyone)), ("bob", .create), ("bob", .block), ("alice", .write),
                    ("bob", .unblock),
                ],
                false, false
            ),
            (
                [
                    ("bob", .setPrivacy(.anyone)), ("bob", .create), ("bob", .block), ("alice", .write),
                    ("bob", .unblock), ("alice", .write),
                ], true, true
            ),
        ] as [([(UserID, Relationship.Act)], Bool, Bool)])
    func keys(acts: [(UserID, Relationship.Act)], alice: Bool, bob: Bool) {
        let (relationship, refusals) = Self.after([("alice", .create)] + acts)
        #expect(refusals.allSatisfy { $0 == nil })
        let hears = (["alice", "bob"] as [UserID]).map {
            relationship.hearsOfKeys($0, now: at(0), renewal: .milliseconds(Self.renewal))
        }
        #expect(hears == [alice, bob])
    }

    @Test("doing again what is done changes nothing and announces nothing")
    func repeatingChangesNothing() throws {
        let acts: [Relationship.Act] = [.follow, .unfollow, .block, .unblock, .create, .accept, .decline]
        for start in Self.states {
            for act in acts {
                for user in ["alice", "bob"] as [UserID] {
                    let (once, refusals) = Self.after([(user, act)], from: start)
                    guard refusals == [nil] else {
                        #expect(once == start)
                        continue
                    }
                    let (twice, _) = Self.after([(user, act)], from: once)
                    #expect(twice == once)
                    #expect(twice.consequences(since: once) == Relationship.Consequences())
                }
            }
        }
    }

    /// Every state that few acts lead to.
    private static let states: Set<Relationship> = {
        let acts: [Relationship.Act] = [
            .follow, .unfollow, .block, .unblock, .create, .write, .accept, .decline, .setPrivacy(.anyone),
            .setPrivacy(.followers),
        ]
        var all: Set<Relationship> = [Relationship(Contact(strangers: "alice", "bob"), openFor: nil)]
        var last = all
        for _ in 0..<4 {
            var next: Set<Relationship> = []
            for state in last {
                for act in acts {
                    for user in ["alice", "bob"] as [UserID] { next.insert(after([(user, act)], from: state).0) }
                }
            }
            last = next.subtracting(all)
            all.formUnion(next)
        }
        return all
    }()

    /// What must hold in every state, whatever has led there.
    @Test("no state is a contradiction")
    func noStateContradicts() {
        #expect(Self.states.count > 250)
        for state in Self.states {
            let contact = state.contact
            for user in contact.users {
                let own = contact[user]
                switch state.permission(of: user, now: at(0), renewal: .milliseconds(Self.renewal)) {
                case .request: #expect(own.request == nil)
                case .allowed, .refused: break
                }
                guard own.request == .waiting else { continue }
                #expect(!contact.areFriends && !contact.isBlocked)
                #expect(state.openFor?.contains(user) == true)
            }
            // A conversation is always somebody's.
            #expect(state.openFor.map { !$0.isEmpty } ?? true)
        }
    }

    @Test("a block is told to the blocker, and to the other as an unfollowing")
    func blockIsToldAsUnfollowing() throws {
        let friends = Self.after([("alice", .follow), ("bob", .follow), ("alice", .create)]).0
        let blocked = Self.after([("bob", .block)], from: friends).0
        var expected = Relationship.Consequences()
        expected.hasNewAudience = true
        expected.friendship = false
        expected.blocks = ["bob": true]
        #expect(blocked.consequences(since: friends) == expected)
        #expect(blocked.audience?.blockers == ["bob"])
        #expect(blocked.audience?.members == ["alice", "bob"])
        let unfollowed = Self.after([("bob", .unfollow)], from: friends).0
        #expect(unfollowed.consequences(since: friends).friendship == false)
    }

    @Test(
        "a request is answered by whom it asks, or by becoming friends, and not by who has asked",
        arguments: [
            ([("bob", .accept)], true), ([("bob", .decline)], true), ([("bob", .write)], true),
            ([("bob", .block)], true), ([("bob", .follow), ("alice", .follow)], true),
            ([("alice", .follow), ("bob", .follow)], true), ([("alice", .decline)], false),
            ([("alice", .block)], false), ([("bob", .follow)], false), ([("bob", .create)], false),
            ([("bob", .setPrivacy(.anyone))], false),
        ] as [([(UserID, Relationship.Act)], Bool)])
    func answering(acts: [(UserID, Relationship.Act)], isAnswered: Bool) {
        let asked = Self.after([("alice", .create), ("alice", .write)]).0
        let (after, refusals) = Self.after(acts, from: asked)
        #expect(refusals.allSatisfy { $0 == nil })
        #expect(after.consequences(since: asked).answered == (isAnswered ? ["bob"] : []))
        #expect(asked.consequences(since: Self.after([("alice", .create)]).0).answered.isEmpty)
    }

    @Test("nobody follows or blocks themselves")
    func oneself() {
        func code(_ user: UserID) -> ErrorCode? {
            rejection { try Relationship.checkOther(user, than: "alice") }?.code
        }
        #expect(code("bob") == nil && code("alice") == .badRequest)
    }

    @Test("becoming friends starts afresh, but what was accepted stays accepted")
    func friendsStartAfresh() {
        let asked = Self.after([("alice", .create), ("alice", .write)]).0
        let friends = Self.after([("alice", .follow), ("bob", .follow)], from: asked).0
        #expect(friends.contact["alice"].request == nil)
        #expect(friends.openFor == ["alice", "bob"])
        let accepted = Self.after(
            [("bob", .accept), ("alice", .follow), ("bob", .follow), ("bob", .unfollow)], from: asked
        ).0
        #expect(
            accepted.permission(of: "alice", now: at(0), renewal: .milliseconds(Self.renewal))
                == .allowed(.acceptedRequest))
    }
}
