import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("What comes into a feed of notifications")
struct NotificationFeedTests {
    private let group = GroupID(UUIDValue(high: 1, low: 1))
    private let conversation = ConversationID(UUIDValue(high: 1, low: 2))
    private let message = MessageID(UUIDValue(high: 1, low: 3))

    private func decide(
        _ notification: NewNotification, for recipient: UserID = "bob", earlier: Timestamp? = nil,
        isSilenced: Bool = false, steady: Timestamp = at(0)
    ) -> NotificationFeed.Decision {
        NotificationFeed.decide(notification, for: recipient, earlier: earlier, isSilenced: isSilenced, steady: steady)
    }

    @Test("whom the recipient has blocked or muted, and the recipient themselves, cause nothing")
    func silencedCauseNothing() {
        let reaction = NewNotification.reaction(by: "alice", to: message, at: 1, in: conversation)
        #expect(decide(reaction) == .added)
        #expect(decide(reaction, isSilenced: true) == .dropped)
        #expect(decide(reaction, for: "alice") == .dropped)
    }

    @Test("muting a conversation silences reactions to its messages, and nothing that is to be answered")
    func muting() {
        #expect(NewNotification.reaction(by: "alice", to: message, at: 1, in: conversation).mutedWith == conversation)
        #expect(NewNotification.messageRequest(by: "alice", in: conversation).mutedWith == nil)
        #expect(NewNotification.challenge(.received, .random(), in: conversation, by: "alice").mutedWith == nil)
        #expect(NewNotification.newMember("alice", in: group, conversation: conversation).mutedWith == nil)
    }

    @Test("a repeat is dropped as long as the first is there")
    func repeats() {
        let request = NewNotification.messageRequest(by: "alice", in: conversation)
        #expect(decide(request, earlier: at(0), steady: at(.days(7))) == .dropped)
    }

    @Test("a further reaction in a conversation makes the unread one tell of it, and one of activity is given once")
    func refreshed() {
        let first = NewNotification.reaction(by: "alice", to: message, at: 1, in: conversation)
        let second = NewNotification.reaction(
            by: "alice", to: MessageID(UUIDValue(high: 9, low: 9)), at: 2, in: conversation)
        #expect(first.key == second.key && decide(second, earlier: at(0)) == .refreshed)
        #expect(decide(second, earlier: at(0), isSilenced: true) == .dropped)
        let activity = NewNotification.reaction(by: "alice", to: ActivityID(UUIDValue(high: 1, low: 3)))
        #expect(decide(activity, earlier: at(0)) == .dropped)
    }

    @Test("one change of rank an hour and board, whoever has passed")
    func rankChanges() {
        func change(_ board: String, by user: UserID) -> NewNotification {
            .rankChange(onBoard: board, of: group, week: "2026-W03", passedBy: user)
        }
        #expect(change("streak", by: "alice").key == change("streak", by: "carol").key)
        #expect(change("streak", by: "alice").key != change("check-ins", by: "alice").key)
        let hour = Duration.seconds(3600)
        for (since, decision) in [
            (.zero, NotificationFeed.Decision.dropped), (hour - .milliseconds(1), .dropped), (hour, .addedAgain),
        ] {
            #expect(decide(change("streak", by: "alice"), earlier: at(0), steady: at(since)) == decision)
        }
        // A clock that has gone back takes nothing for an hour.
        #expect(decide(change("streak", by: "alice"), earlier: at(hour + hour), steady: at(0)) == .dropped)
    }

    @Test("things that are not the same have not the same key")
    func keys() {
        let (other, challenge) = (GroupID(UUIDValue(high: 2, low: 1)), ChallengeID(UUIDValue(high: 1, low: 1)))
        let activity = ActivityID(UUIDValue(high: 1, low: 3))
        var all: [NewNotification] = [
            .newMember("alice", in: group), .newMember("carol", in: group), .newMember("alice", in: other),
            .rankChange(onBoard: "streak", of: group, week: "2026-W03", passedBy: "alice"),
            .rankChange(onBoard: "streak", of: other, week: "2026-W03", passedBy: "alice"),
            .weekEnded("2026-W03", in: group), .weekEnded("2026-W04", in: group), .weekEnded("2026-W03", in: other),
            .messageRequest(by: "alice", in: conversation),
            .reaction(by: "alice", to: message, at: 1, in: conversation),
            .reaction(by: "carol", to: message, at: 1, in: conversation),
            .reaction(by: "alice", to: message, at: 1, in: ConversationID(UUIDValue(high: 9, low: 9))),
            .reaction(by: "carol", to: ActivityID(UUIDValue(high: 7, low: 7))),
            .reaction(by: "dave", to: activity),
        ]
        for step in NewNotification.ChallengeStep.allCases {
            all.append(.challenge(step, challenge, in: conversation, by: "alice"))
        }
        #expect(Set(all.map(\.key)).count == all.count)
        // Every type there is can be made.
        #expect(Set(all.map(\.type)) == Set(NotificationType.allCases))
    }
}
