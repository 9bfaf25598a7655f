import ParleyDeviceStore
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("What is known of a conversation")
struct FollowedConversationTests {
    private let alice = UserID(validated: "alice")
    private let bob = UserID(validated: "bob")
    private let carol = UserID(validated: "carol")

    private func watermark(_ user: UserID, _ kind: ReceiptKind, _ seq: Int) -> Watermark {
        Watermark(
            conversation: .random(), user: user, kind: kind, message: .random(), seq: seq,
            at: Timestamp(milliseconds: 0))
    }

    @Test("own messages have come as far as the member who has come least far")
    func least() {
        var reached = ReachedMarks()
        reached.advance(watermark(bob, .read, 5))
        #expect(reached.least(of: [bob, carol]) == .init(delivered: 0, read: 0))
        reached.advance(watermark(carol, .delivered, 7))
        #expect(reached.least(of: [bob, carol]) == .init(delivered: 5, read: 0))
        reached.merge(.delivered, at: 6)
        #expect(reached.least(of: [bob, carol]) == .init(delivered: 6, read: 0))
        reached.merge(.read, at: 4)
        reached.advance(watermark(bob, .read, 2))
        #expect(reached.least(of: [bob, carol]) == .init(delivered: 6, read: 4))
        #expect(reached.least(of: []) == .init(delivered: 6, read: 4))
    }

    @Test("what is kept comes back")
    func kept() {
        var entry = FollowedConversation(.random())
        entry.object = Conversation(
            id: entry.id, type: .known(.group), name: "Trio", createdBy: alice, createdAt: Timestamp(milliseconds: 1),
            updatedAt: Timestamp(milliseconds: 2), epoch: "e", lastSeq: 9,
            members: [
                Member(user: alice, username: "A", role: .known(.admin), joinedAt: Timestamp(milliseconds: 1)),
                Member(user: bob, username: "B", role: .known(.member), joinedAt: Timestamp(milliseconds: 1)),
            ])
        entry.log = ConversationLog(epoch: "e", held: 4..<10)
        entry.start = .reached
        entry.ownSeq = 8
        entry.deliveredSeq = 9
        entry.unread.setCount(2, readSeq: 7, lastSeq: 9)
        entry.preferences = ConversationPreferences(muting: .until(Timestamp(milliseconds: 9)), isMarkedUnread: true)
        entry.membership = .unanswered
        entry.chapter = 3
        entry.past = [PastEpoch(epoch: "d", chapter: 2, reached: .init(delivered: 4, read: 3))]
        entry.reached.merge(.read, at: 3)
        entry.pendingRead = ReceiptCoalescer.Mark(message: .random(), seq: 7)
        let back = FollowedConversation(entry.kept(own: alice))
        #expect(back.object == entry.object)
        #expect(back.log.epoch == "e" && back.log.held == 4..<10)
        #expect(back.start == .reached && back.isMember && back.chapter == 3 && back.past == entry.past)
        #expect((back.ownSeq, back.deliveredSeq) == (8, 9))
        #expect(back.unread.count == 2 && back.unread.readSeq == 7)
        #expect(back.preferences == entry.preferences && !back.isOpen)
        #expect(back.reached.least(of: [bob]) == .init(delivered: 3, read: 3))
        #expect(back.pendingRead == entry.pendingRead)
    }

    @Test("a history that begins anew leaves nothing of the old one to count, and how far own messages had come")
    func anew() throws {
        var entry = FollowedConversation(.random())
        entry.log = ConversationLog(epoch: "old", held: 1..<10)
        entry.unread.setCount(5, readSeq: 4, lastSeq: 9)
        entry.reached.merge(.read, at: 3)
        entry.reached.merge(.delivered, at: 8)
        entry.deliveredSeq = 9
        entry.pendingRead = ReceiptCoalescer.Mark(message: .random(), seq: 7)
        entry.begin(epoch: "new", own: alice)
        #expect(entry.unread == Unread() && entry.deliveredSeq == 0 && entry.pendingRead == nil && entry.chapter == 1)
        #expect(entry.log.epoch == "new" && entry.log.held == nil && entry.log.want == .newest)
        #expect(entry.reached.least(of: [bob]) == .init(delivered: 0, read: 0))
        func status(_ seq: Int, _ epoch: String, chapter: Int) -> ChatMessage.Status {
            let record = MessageRecord.sample(seq, in: entry.id, epoch: epoch)
            return entry.status(of: KeptMessage(record: record, chapter: chapter), own: alice)
        }
        // What is over, what both epochs have, and what is new.
        #expect([3, 8, 9].map { status($0, "old", chapter: 0) } == [.read, .delivered, .sent])
        #expect([3, 8, 9].map { status($0, "new", chapter: 0) } == [.read, .delivered, .sent])
        #expect([3, 8, 9].map { status($0, "new", chapter: 1) } == [.sent, .sent, .sent])
        entry.reached.merge(.read, at: 8)
        #expect([3, 8, 9].map { status($0, "new", chapter: 1) } == [.read, .read, .sent])
        #expect(status(8, "old", chapter: 0) == .delivered)
        // Nothing is held of it yet, and its name is known after a restart.
        let back = FollowedConversation(entry.kept(own: alice))
        #expect(back.log.epoch == "new" && back.log.held == nil && back.chapter == 1 && back.past == entry.past)
    }

    @Test("whoever is a member again begins with what they may see, and where that begins is not known")
    func memberAgain() {
        var entry = FollowedConversation(.random())
        entry.log = ConversationLog(epoch: "e", held: 1..<10)
        entry.start = .reached
        entry.join(following: true)
        #expect(entry.log.held == 1..<10 && entry.start == .reached)
        entry.membership.leave()
        entry.join(following: true)
        #expect(entry.log.held == nil && entry.log.want == .newest && entry.start == .unknown && entry.isFollowed)
    }

    @Test("damage costs what can be asked for again, and not the messages")
    func damaged() {
        let stretch = KeptStretch(epoch: "e", seqs: 1...5)
        for object in [nil, Array("no JSON".utf8), Array(#"{"conversation":{}}"#.utf8)] {
            let entry = FollowedConversation(ConversationState(id: .random(), kept: stretch, object: object))
            #expect(entry.object == nil)
            #expect(entry.log.held == 1..<6)
        }
    }
}
