import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@Suite("How a receipt moves a watermark")
struct ReceiptRuleTests {
    private static func state(
        user: (delivered: Int, read: Int) = (5, 3), device: (delivered: Int, read: Int) = (5, 3),
        told: (delivered: Int, read: Int) = (5, 3)
    ) -> ReceiptState {
        ReceiptState(
            user: WatermarkFacts(
                deliveredSeq: user.delivered, deliveredAt: at(0), readSeq: user.read, readAt: at(0)),
            device: Watermarks(delivered: device.delivered, read: device.read),
            disclosed: Watermarks(delivered: told.delivered, read: told.read))
    }

    @Test(
        "a watermark moves forward or not at all",
        arguments: [
            (.delivered, 5, nil), (.delivered, 4, nil), (.delivered, 6, (6, 3)), (.read, 3, nil), (.read, 2, nil),
            (.read, 4, (5, 4)), (.read, 5, (5, 5)), (.read, 9, (9, 9)),
        ] as [(ReceiptKind, Int, (delivered: Int, read: Int)?)])
    func moves(kind: ReceiptKind, seq: Int, expected: (delivered: Int, read: Int)?) {
        let next = ReceiptRule.decide(kind, upTo: seq, Self.state(), .everything, now: at(9))
        #expect(next?.user.deliveredSeq == expected?.delivered)
        #expect(next?.user.readSeq == expected?.read)
        #expect(next == nil || next?.user.deliveredAt == (seq > 5 ? at(9) : at(0)))
        #expect(next == nil || next?.user.readAt == (kind == .read ? at(9) : at(0)))
        #expect(next == nil || next?.hasRead == (kind == .read))
        #expect(next == nil || next?.announcement == kind)
    }

    @Test("a slower device of the user's moves its own and nothing else")
    func slowerDevice() {
        let next = ReceiptRule.decide(.read, upTo: 3, Self.state(device: (1, 0)), .everything, now: at(9))
        #expect(next?.device == Watermarks(delivered: 3, read: 3))
        #expect(next?.user == Self.state().user && next?.disclosed == Self.state().disclosed)
        #expect(next?.announcement == nil && next?.hasRead == false)
    }

    @Test(
        "what others hear is what is disclosed: of reading at most that the messages have come",
        arguments: [
            (.everything, .read, 9, .read, (9, 9)), (.everything, .delivered, 9, .delivered, (9, 3)),
            (.deliveredOnly, .read, 9, .delivered, (9, 3)), (.deliveredOnly, .read, 4, nil, (5, 3)),
            (.deliveredOnly, .delivered, 9, .delivered, (9, 3)), (.nothing, .read, 9, nil, (5, 3)),
            (.nothing, .delivered, 9, nil, (5, 3)),
        ] as [(ReceiptDisclosure, ReceiptKind, Int, ReceiptKind?, (delivered: Int, read: Int))])
    func disclosed(
        disclosure: ReceiptDisclosure, kind: ReceiptKind, seq: Int, announcement: ReceiptKind?,
        told: (delivered: Int, read: Int)
    ) throws {
        let next = try #require(ReceiptRule.decide(kind, upTo: seq, Self.state(), disclosure, now: at(9)))
        #expect(next.announcement == announcement)
        #expect(next.disclosed == Watermarks(delivered: told.delivered, read: told.read))
        #expect(next.user.deliveredSeq == max(5, seq) && next.user.readSeq == (kind == .read ? seq : 3))
    }

    @Test("what was not told at the time is told with the next receipt, not before")
    func toldLater() {
        let behind = Self.state(user: (8, 8), device: (8, 8), told: (2, 1))
        #expect(ReceiptRule.decide(.read, upTo: 8, behind, .everything, now: at(9)) == nil)
        let next = ReceiptRule.decide(.delivered, upTo: 9, behind, .everything, now: at(9))
        #expect(next?.disclosed == Watermarks(delivered: 9, read: 1) && next?.announcement == .delivered)
        #expect(
            ReceiptRule.decide(.read, upTo: 9, behind, .everything, now: at(9))?.disclosed
                == Watermarks(delivered: 9, read: 9))
    }

    @Test("whatever comes in whatever order, every pair only grows and read <= delivered", .seeded, arguments: 0..<50)
    func monotonic(stream: Int) {
        var generator = Seeded(stream: UInt64(stream))
        var user = WatermarkFacts(deliveredSeq: 0, deliveredAt: nil, readSeq: 0, readAt: nil)
        var devices = [Watermarks](repeating: Watermarks(), count: 3)
        var told = Watermarks()
        for step in 0..<300 {
            let kind: ReceiptKind = generator.chance(0.5) ? .read : .delivered
            let (seq, index) = (generator.number(0...100), generator.number(0...2))
            let state = ReceiptState(user: user, device: devices[index], disclosed: told)
            let disclosure = ReceiptDisclosure.allCases[generator.number(0...2)]
            guard let next = ReceiptRule.decide(kind, upTo: seq, state, disclosure, now: at(Int64(step))) else {
                #expect(seq <= (kind == .read ? devices[index].read : devices[index].delivered))
                continue
            }
            #expect(next.user.readSeq <= next.user.deliveredSeq)
            #expect(next.user.readSeq >= user.readSeq && next.user.deliveredSeq >= user.deliveredSeq)
            #expect(next.disclosed.read <= next.disclosed.delivered && next.disclosed.read <= next.user.readSeq)
            #expect(next.disclosed.delivered <= next.user.deliveredSeq)
            #expect(next.disclosed.read >= told.read && next.disclosed.delivered >= told.delivered)
            #expect((next.announcement == nil) == (next.disclosed == told))
            #expect(next.hasRead == (next.user.readSeq > user.readSeq))
            #expect((next.user.deliveredAt == nil) == (next.user.deliveredSeq == 0))
            #expect((next.user.readAt == nil) == (next.user.readSeq == 0))
            (user, devices[index], told) = (next.user, next.device, next.disclosed)
            #expect(user.deliveredSeq == devices.map(\.delivered).max())
            #expect(user.readSeq == devices.map(\.read).max())
        }
    }

    @Test(
        "one's own message is read when all the others have read it, and delivered when all have it",
        arguments: [(1, .read), (2, .read), (3, .delivered), (5, .delivered), (6, .sent)] as [(Int, MessageStatus)])
    func status(seq: Int, expected: MessageStatus) {
        func status(_ kind: RecordKind, _ type: MessageType, for user: UserID) -> MessageStatus? {
            let record = MessageRecord(
                id: .random(), conversation: .random(), epoch: "e", seq: seq, kind: kind, target: nil,
                sender: device("alice", "phone"), type: type, suite: nil, content: nil, nonce: nil,
                recipientKeys: nil, replyTo: nil, expiresAt: nil, createdAt: at(0))
            return ReceiptRule.status(of: record, for: user, (delivered: 5, read: 2))
        }
        #expect(status(.message, .text, for: "alice") == expected)
        #expect(status(.message, .text, for: "bob") == nil)
        #expect(status(.message, .system, for: "alice") == nil)
        #expect(status(.edit, .text, for: "alice") == nil)
    }
}

@Suite("What others learn of a receipt")
struct ReceiptDisclosureTests {
    private func decide(_ own: Bool, _ other: (MessagingPermission, Bool)?) -> ReceiptDisclosure {
        ReceiptDisclosure.decide(
            sendsReadReceipts: own,
            other: other.map { ReceiptDisclosure.Other(permission: $0.0, sendsReadReceipts: $0.1) })
    }

    @Test("in a group the reader's own setting decides")
    func groups() {
        #expect(decide(true, nil) == .everything)
        #expect(decide(false, nil) == .deliveredOnly)
    }

    @Test("in a direct conversation both have read receipts on, or neither is told of reading")
    func direct() {
        for ground in MessagingPermission.Ground.allCases {
            #expect(decide(true, (.allowed(ground), true)) == .everything)
            #expect(decide(true, (.allowed(ground), false)) == .deliveredOnly)
            #expect(decide(false, (.allowed(ground), true)) == .deliveredOnly)
            #expect(decide(false, (.allowed(ground), false)) == .deliveredOnly)
        }
    }

    @Test("who may not write without limit tells nothing")
    func permission() {
        for permission in [.request] + MessagingPermission.Refusal.allCases.map(MessagingPermission.refused) {
            #expect(decide(true, (permission, true)) == .nothing)
        }
    }
}
