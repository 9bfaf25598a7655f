import ParleyProtocol
import ParleyRules
import TestSupport
import Testing

struct AdvanceWatermarkTests {
    private static let start = WatermarkFacts(deliveredSeq: 5, deliveredAt: at(0), readSeq: 3, readAt: at(0))

    @Test(
        "a watermark moves forward or not at all",
        arguments: [
            (.delivered, 5, nil), (.delivered, 4, nil), (.delivered, 6, (6, 3)), (.read, 3, nil), (.read, 2, nil),
            (.read, 4, (5, 4)), (.read, 5, (5, 5)), (.read, 9, (9, 9)),
        ] as [(ReceiptKind, Int, (delivered: Int, read: Int)?)])
    func moves(kind: ReceiptKind, seq: Int, expected: (delivered: Int, read: Int)?) {
        let next = AdvanceWatermark.decide(kind, upTo: seq, current: Self.start, now: at(9))
        #expect(next?.deliveredSeq == expected?.delivered)
        #expect(next?.readSeq == expected?.read)
        #expect(next == nil || next?.deliveredAt == (seq > 5 ? at(9) : at(0)))
        #expect(next == nil || next?.readAt == (kind == .read ? at(9) : at(0)))
    }

    @Test("whatever comes in whatever order, read <= delivered and both only grow", .seeded, arguments: 0..<50)
    func monotonic(stream: Int) {
        var generator = Seeded(stream: UInt64(stream))
        var current = WatermarkFacts(deliveredSeq: 0, deliveredAt: nil, readSeq: 0, readAt: nil)
        var most: [ReceiptKind: Int] = [.delivered: 0, .read: 0]
        for step in 0..<200 {
            let kind: ReceiptKind = generator.chance(0.5) ? .read : .delivered
            let seq = generator.number(0...100)
            most[kind] = max(most[kind] ?? 0, seq)
            guard let next = AdvanceWatermark.decide(kind, upTo: seq, current: current, now: at(Int64(step))) else {
                #expect(seq <= (kind == .read ? current.readSeq : current.deliveredSeq))
                continue
            }
            #expect(next.readSeq <= next.deliveredSeq)
            #expect(next.readSeq >= current.readSeq && next.deliveredSeq >= current.deliveredSeq)
            #expect(next != current)
            #expect((next.deliveredAt == nil) == (next.deliveredSeq == 0))
            #expect((next.readAt == nil) == (next.readSeq == 0))
            current = next
        }
        #expect(current.readSeq == most[.read])
        #expect(current.deliveredSeq == max(most[.read] ?? 0, most[.delivered] ?? 0))
    }

    @Test(
        "one's own message is read when all the others have read it, and delivered when all have it",
        arguments: [(1, .read), (2, .read), (3, .delivered), (5, .delivered), (6, .sent)] as [(Int, MessageStatus)])
    func status(seq: Int, expected: MessageStatus) {
        #expect(AdvanceWatermark.status(of: seq, leastDelivered: 5, leastRead: 2) == expected)
    }
}
