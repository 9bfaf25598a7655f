import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Records of one conversation that come by several streams")
struct RecordOrderTests {
    private let conversation = ConversationID(UUIDValue.random())

    private func outgoing(_ seqs: Int..., in other: ConversationID? = nil) -> Outgoing {
        var outgoing = Outgoing()
        for seq in seqs {
            outgoing.announce(
                MessageRecord(
                    id: .random(), conversation: other ?? conversation, epoch: "e", seq: seq, kind: .message,
                    target: nil,
                    sender: DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone")),
                    type: .text, suite: nil, content: nil, nonce: nil, recipientKeys: nil, replyTo: nil,
                    expiresAt: nil, createdAt: Timestamp(milliseconds: 0), system: nil, disappearsAt: nil),
                position: StreamPosition(number: seq))
        }
        return outgoing
    }

    /// What is published of batches, records that are missing included.
    private func published(_ batches: Outgoing...) -> [Int] {
        var (order, publications) = (RecordOrder(from: StreamVector()), Publications(publishedThrough: .start))
        for batch in batches {
            let missing = order.gaps(before: batch.items, hasOthers: false).map { gap in
                var outgoing = Outgoing()
                for seq in ((gap.after ?? 0) + 1)..<gap.before { outgoing.append(self.outgoing(seq)) }
                return (gap.item, outgoing)
            }
            publications.add(batch, isCounted: false, earlier: Dictionary(uniqueKeysWithValues: missing), in: &order)
        }
        var seqs: [Int] = []
        while let entry = publications.next {
            if !entry.isRepeated, let seq = entry.item.record?.seq { seqs.append(seq) }
            publications.dropNext()
        }
        return seqs
    }

    @Test("what comes in order goes in order")
    func inOrder() { #expect(published(outgoing(5, 6), outgoing(7)) == [5, 6, 7]) }

    @Test("one that comes early has the others before it, which do not go again")
    func early() {
        #expect(published(outgoing(1), outgoing(4), outgoing(2, 3), outgoing(5)) == [1, 2, 3, 4, 5])
        #expect(published(outgoing(1, 3), outgoing(2, 4)) == [1, 2, 3, 4])
    }

    @Test("one from before the first that was met goes, for nobody knows that it has gone")
    func late() { #expect(published(outgoing(7), outgoing(6), outgoing(8)) == [7, 6, 8]) }

    @Test("a gap that is too long is left, and what comes of it goes")
    func tooLong() {
        let far = 2 + RecordOrder.longestGap
        #expect(published(outgoing(1), outgoing(far), outgoing(2), outgoing(far + 1)) == [1, far, 2, far + 1])
    }

    @Test("of many conversations the ones that were met last are known")
    func bounded() {
        var order = RecordOrder(from: StreamVector(), capacity: 2)
        let conversations = (0..<5).map { _ in ConversationID(UUIDValue.random()) }
        let items = conversations.flatMap { outgoing(3, in: $0).items }
        let atFirst = items.map { order.isRepeated($0) }
        #expect(!atFirst.contains(true))
        let again = [4, 3, 0].map { order.isRepeated(items[$0]) }
        #expect(again == [true, true, false])
    }

    @Test("what was read and passed over was not handed on, though later positions of its stream were")
    func passedOver() {
        let handedOn = HandedOn(through: StreamVector([7]), passedOver: [0: 5])
        #expect([4, 5, 7, 8].map(handedOn.contains) == [true, false, false, false])
        #expect(HandedOn(through: StreamVector([7]), passedOver: [:]).contains(7))
    }

    @Test("what may go before the first of a conversation is asked for where others write, too")
    func first() {
        let order = RecordOrder(from: StreamVector())
        #expect(order.gaps(before: outgoing(1).items, hasOthers: true).isEmpty)
        #expect(order.gaps(before: outgoing(5).items, hasOthers: false).isEmpty)
        let gaps = order.gaps(before: outgoing(5, 6, 8).items, hasOthers: true)
        #expect(gaps.map(\.before) == [5, 8] && gaps.map(\.after) == [nil, 6])
    }

    @Test("what another cell has committed before goes before, though its lease is over")
    func silentNeighbour() throws {
        let test = try TestWriter(cells: ListedCells(hasNeighbours: false))
        let conversation = try test.conversation(["alice", "bob"])
        // The stream of the file is another than that of the cell.
        test.carryOut([try send(conversation)])
        let second = test.carryOut([try send(conversation)]).effects.outgoing
        var (order, publications): (RecordOrder?, Publications) = (
            nil, Publications(publishedThrough: Stream(cell: 1).start)
        )
        try publications.add(second, isCounted: true, of: test.store, passedOver: Monitor([:]), in: &order)
        var seqs: [Int] = []
        while let entry = publications.next {
            if let seq = entry.item.record?.seq { seqs.append(seq) }
            publications.dropNext()
        }
        #expect(seqs == [1, 2])
    }
}
