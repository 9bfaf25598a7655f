import ParleyProtocol
import Testing

@testable import parley_bench

@Suite("What is expected of a conversation that was restored from a backup")
struct TalkTests {
    private let alice: UserID = "alice"
    private let bob: UserID = "bob"
    private let ids = (0..<9).map { _ in MessageID.random() }

    @Test("each member sees what they had and what the gateway has, and counts what the gateway has")
    func restored() {
        var talk = Talk(ConversationID.random())
        func append(_ number: Int, _ sender: UserID, _ kind: Talk.Kind) {
            talk.append(Talk.Entry(id: ids[number], sender: sender, kind: kind))
        }
        append(0, alice, .message("one"))
        append(1, bob, .message("two"))
        talk.recordRead(by: bob)
        append(2, alice, .message("three"))
        talk.recordReceipt(by: [alice, bob])
        talk.backUp()
        append(3, alice, .message("lost"))
        append(4, alice, .edit(of: ids[0], to: "once"))
        append(5, bob, .deletion(of: ids[1]))
        append(6, bob, .reaction(to: ids[2], "👍"))
        talk.recordRead(by: bob)
        // Bob's device was away.
        talk.recordReceipt(by: [alice])
        #expect(talk.unread(by: bob) == 0 && talk.lost == 0)

        talk.restore()
        append(7, bob, .message("four"))
        append(8, alice, .message("five"))
        talk.recordReceipt(by: [alice, bob])
        #expect(talk.lost == 4)
        #expect(talk.recordIDs == [0, 1, 2, 7, 8].map { ids[$0] })
        #expect(
            talk.expected(by: alice) == [
                Talk.Shown(id: ids[0], text: "once", isEdited: true), Talk.Shown(id: ids[1], text: nil),
                Talk.Shown(id: ids[2], text: "three", reactions: [bob: "👍"]), Talk.Shown(id: ids[3], text: "lost"),
                Talk.Shown(id: ids[7], text: "four"), Talk.Shown(id: ids[8], text: "five"),
            ])
        #expect(
            talk.expected(by: bob) == [
                Talk.Shown(id: ids[0], text: "one"), Talk.Shown(id: ids[1], text: "two"),
                Talk.Shown(id: ids[2], text: "three"), Talk.Shown(id: ids[7], text: "four"),
                Talk.Shown(id: ids[8], text: "five"),
            ])
        // Since the mark of the backup: the third and the last.
        #expect(talk.unread(by: bob) == 2)
        #expect(talk.unread(by: alice) == 2)
        #expect(talk.unchanged(by: alice) == [ids[8]])
    }
}
