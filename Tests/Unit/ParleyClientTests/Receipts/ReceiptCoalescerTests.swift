import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Which receipts are sent")
struct ReceiptCoalescerTests {
    private let start = ContinuousClock.now
    private let key = ReceiptCoalescer.Key(kind: .read, conversation: .random())

    private func mark(_ seq: Int) -> ReceiptCoalescer.Mark {
        ReceiptCoalescer.Mark(message: MessageID(UUIDValue(high: 0, low: UInt64(seq))), seq: seq)
    }

    private func next(_ receipts: inout ReceiptCoalescer, after pause: Duration = .zero) -> Int? {
        receipts.next(now: start + pause)?.mark.seq
    }

    @Test("the farthest mark is sent, one at a time, and those on the way to it are not")
    func coalesced() {
        var receipts = ReceiptCoalescer()
        for seq in [1, 5, 3] { receipts.mark(key, mark(seq)) }
        #expect(next(&receipts) == 5)
        for seq in [6, 9] { receipts.mark(key, mark(seq)) }
        #expect(next(&receipts) == nil)
        receipts.acknowledge(key)
        #expect(next(&receipts) == 9)
        receipts.acknowledge(key)
        #expect(next(&receipts) == nil)
    }

    @Test("a mark never moves back")
    func monotonic() {
        var receipts = ReceiptCoalescer()
        receipts.mark(key, mark(5))
        _ = next(&receipts)
        receipts.acknowledge(key)
        for seq in [4, 5] { receipts.mark(key, mark(seq)) }
        #expect(next(&receipts) == nil)
    }

    @Test("what was not answered is sent again after its pause, unless something farther is")
    func repeated() {
        var receipts = ReceiptCoalescer()
        receipts.mark(key, mark(5))
        _ = next(&receipts)
        receipts.postpone(key, until: start + .seconds(1))
        #expect(next(&receipts) == nil)
        #expect(receipts.nextDue == start + .seconds(1))
        #expect(next(&receipts, after: .seconds(1)) == 5)
        receipts.mark(key, mark(7))
        receipts.postpone(key, until: start)
        #expect(next(&receipts) == 7)
    }

    @Test("conversations and kinds do not wait for each other, but what was read needs no other receipt")
    func kinds() {
        var receipts = ReceiptCoalescer()
        let delivered = ReceiptCoalescer.Key(kind: .delivered, conversation: key.conversation)
        let elsewhere = ReceiptCoalescer.Key(kind: .delivered, conversation: .random())
        receipts.mark(key, mark(5))
        #expect(next(&receipts) == 5)
        receipts.mark(elsewhere, mark(3))
        #expect(next(&receipts) == 3)
        receipts.acknowledge(key)
        receipts.mark(delivered, mark(5))
        #expect(next(&receipts) == nil)
        receipts.mark(delivered, mark(6))
        #expect(next(&receipts) == 6)
    }

    @Test("a receipt is open until it is taken, and what was read needs none of its arrival")
    func open() {
        var receipts = ReceiptCoalescer()
        #expect(!receipts.hasOpen)
        receipts.mark(key, mark(5))
        #expect(receipts.hasOpen)
        _ = next(&receipts)
        #expect(receipts.hasOpen)
        receipts.postpone(key, until: start)
        #expect(receipts.hasOpen)
        _ = next(&receipts)
        receipts.acknowledge(key)
        #expect(!receipts.hasOpen)
        receipts.mark(ReceiptCoalescer.Key(kind: .delivered, conversation: key.conversation), mark(5))
        #expect(!receipts.hasOpen)
    }

    @Test("a conversation whose log began anew has no old marks")
    func reset() {
        var receipts = ReceiptCoalescer()
        receipts.mark(key, mark(50))
        receipts.reset(key.conversation)
        #expect(next(&receipts) == nil)
        receipts.mark(key, mark(2))
        #expect(next(&receipts) == 2)
    }
}
