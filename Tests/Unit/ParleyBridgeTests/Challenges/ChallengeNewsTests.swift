import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

/// What people learn of challenges beside the conversation: notifications, and what was won.
@Suite("News of challenges", .onEveryStore)
struct ChallengeNewsTests {
    private let world: SocialWorld
    private let group: ConversationID
    private let id = ChallengeID.random()

    init() throws {
        world = try SocialWorld()
        group = try world.test.conversation(["alice", "bob", "carol"])
    }

    /// The types in a user's feed, the newest first.
    private func feed(_ user: UserID) throws -> [String] { try world.feed(of: user).items.map(\.type.name) }

    @Test("who is challenged is notified, and who has challenged of the answer")
    func answers() throws {
        let made = try world.makeChallenge(id, in: group)
        #expect(made.events.last == "users/bob/notifications: notification.new" && made.events.count == 2)
        try world.answer(AcceptChallenge(challenge: id), by: "bob")
        #expect(try feed("bob") == ["challenge_received"] && feed("alice") == ["challenge_accepted"])
        let (declined, cancelled) = (ChallengeID.random(), ChallengeID.random())
        for id in [declined, cancelled] { try world.makeChallenge(id, in: group) }
        try world.answer(DeclineChallenge(challenge: declined), by: "bob")
        try world.answer(CancelChallenge(challenge: cancelled), by: "alice")
        #expect(try feed("alice") == ["challenge_declined", "challenge_accepted"])
        #expect(
            try feed("bob") == [
                "challenge_cancelled", "challenge_received", "challenge_received", "challenge_received",
            ])
        #expect(try feed("carol").isEmpty)
    }

    @Test("what asks for an answer is read when none is waited for any more: accepted, declined, cancelled or expired")
    func answered() throws {
        let ids = (0..<4).map { _ in ChallengeID.random() }
        for id in ids { try world.makeChallenge(id, in: group) }
        func waiting() throws -> Int? {
            try world.feed(of: "bob").items.count { $0.type == .known(.challengeReceived) && !$0.isRead }
        }
        #expect(try waiting() == 4)
        let cleared = "users/bob/notifications: notification.cleared"
        #expect(try world.answer(AcceptChallenge(challenge: ids[0]), by: "bob").events.contains(cleared))
        #expect(try world.answer(DeclineChallenge(challenge: ids[1]), by: "bob").events.contains(cleared))
        #expect(try waiting() == 2)
        #expect(try world.answer(CancelChallenge(challenge: ids[2]), by: "alice").events.contains(cleared))
        #expect(try !world.answer(CancelChallenge(challenge: ids[2]), by: "alice").events.contains(cleared))
        #expect(try waiting() == 1)
        _ = try world.tick(at(.days(2)))
        #expect(try waiting() == 0)
    }

    @Test("who makes and takes back challenges again and again displaces nothing that waits for an answer")
    func displaced() throws {
        try world.makeChallenge(id, in: group, by: "carol", to: "bob")
        for number in 1...NotificationFeed.mostAsking + 5 {
            let id = ChallengeID.random()
            let now = at(.seconds(200 * number))
            try world.makeChallenge(id, in: group, now: now)
            #expect(try world.answer(CancelChallenge(challenge: id), by: "alice", now: now).code == nil)
        }
        let query = "SELECT count(*) FROM notifications WHERE type = 'challenge_received'"
        #expect(try world.test.text(query) == "\(NotificationFeed.mostAsking)")
        #expect(try world.test.text(query + " AND is_read = 0 AND actor = 'carol'") == "1")
    }

    @Test("progress notifies nobody, an end both, and the friends of who has won see it")
    func ends() throws {
        try world.befriend("bob", "carol")
        try world.startChallenge(id, in: group)
        try world.report(5, by: "bob", now: at(2000))
        #expect(try feed("alice") == ["challenge_accepted"])
        let end = january15.advanced(byDays: 2).midnight
        let outgoing = world.test.writer.carryOut([], now: end).effects.outgoing
        let events = try outgoing.events.map { "\($0.topic.dropFirst(Topic.prefix.utf8.count)): \($0.event ?? "")" }
        #expect(
            Set(events) == [
                "conversations/\(group)/challenges: challenge.updated", "users/alice/notifications: notification.new",
                "users/bob/notifications: notification.new", "users/bob/activity: activity.new",
            ])
        #expect(events.count == 4)
        #expect(try feed("bob").first == "challenge_completed" && feed("alice").first == "challenge_completed")
        let expired = ChallengeID.random()
        try world.makeChallenge(expired, in: group, now: end)
        #expect(try world.tick(end.advanced(by: .days(2))).count == 1)
        #expect(try feed("alice").first == "challenge_expired" && feed("bob").first == "challenge_received")
    }

    @Test("whom somebody has blocked notifies them of nothing, and who has left is notified of nothing")
    func silence() throws {
        try world.ask(Block.self, by: "bob", of: "alice")
        try world.makeChallenge(id, in: group)
        #expect(try feed("bob").isEmpty)
        try world.answer(CancelChallenge(challenge: id), by: "alice")
        #expect(try feed("bob").isEmpty)
        let other = ChallengeID.random()
        try world.makeChallenge(other, in: group, by: "carol", to: "alice")
        try world.ask(LeaveConversation.self, by: "alice", #"{"conversation_id":"\#(group)"}"#)
        try world.answer(CancelChallenge(challenge: other), by: "carol")
        #expect(try feed("alice") == ["challenge_received"])
    }
}
