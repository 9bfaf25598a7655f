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
        reached.moved(watermark(bob, .read, 5))
        #expect(reached.least(of: [bob, carol]) == .init(delivered: 0, read: 0))
        reached.moved(watermark(carol, .delivered, 7))
        #expect(reached.least(of: [bob, carol]) == .init(delivered: 5, read: 0))
        reached.said(.delivered, at: 6)
        #expect(reached.least(of: [bob, carol]) == .init(delivered: 6, read: 0))
        reached.said(.read, at: 4)
        reached.moved(watermark(bob, .read, 2))
        #expect(reached.least(of: [bob, carol]) == .init(delivered: 6, read: 4))
        #expect(reached.least(of: []) == .init(delivered: 6, read: 4))
    }

    @Test("what is kept comes back")
    func kept() {
        var entry = FollowedConversation(.random())
        entry.object = ReceivedConversation(
            id: entry.id, type: .known(.group), name: "Trio", createdBy: alice, createdAt: Timestamp(milliseconds: 1),
            updatedAt: Timestamp(milliseconds: 2), epoch: "e", lastSeq: 9,
            members: [
                ReceivedMember(user: alice, username: "A", role: .known(.admin), joinedAt: Timestamp(milliseconds: 1)),
                ReceivedMember(user: bob, username: "B", role: .known(.member), joinedAt: Timestamp(milliseconds: 1)),
            ])
        entry.log = ConversationLog(epoch: "e", held: 4..<10)
        entry.reachesStart = true
        entry.ownSeq = 8
        entry.deliveredSeq = 9
        entry.unread.counted(2, readSeq: 7, lastSeq: 9)
        entry.preferences = ConversationPreferences(muting: .until(Timestamp(milliseconds: 9)), isMarkedUnread: true)
        entry.isOpen = false
        entry.reached.said(.read, at: 3)
        entry.pendingRead = ReceiptCoalescer.Mark(message: .random(), seq: 7)
        let back = FollowedConversation(entry.kept(own: alice))
        #expect(back.object == entry.object)
        #expect(back.log.epoch == "e" && back.log.held == 4..<10)
        #expect(back.reachesStart && back.isMember)
        #expect((back.ownSeq, back.deliveredSeq) == (8, 9))
        #expect(back.unread.count == 2 && back.unread.readSeq == 7)
        #expect(back.preferences == entry.preferences && !back.isOpen)
        #expect(back.reached.least(of: [bob]) == .init(delivered: 3, read: 3))
        #expect(back.pendingRead == entry.pendingRead)
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
