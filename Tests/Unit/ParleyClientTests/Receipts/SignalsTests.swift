import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("What a device says and hears beside messages")
struct SignalsTests {
    private let start = ContinuousClock.now
    private let conversation = ConversationID.random()
    private let bob = UserID(validated: "bob")

    private func mark(_ seq: Int) -> ReceiptCoalescer.Mark { ReceiptCoalescer.Mark(message: .random(), seq: seq) }

    /// - Returns: which receipt is next, and up to where.
    private func next(_ signals: Signals, _ now: ContinuousClock.Instant) -> (ReceiptCoalescer.Key, Int)? {
        signals.receipts.next(now: now).map { ($0.key, $0.mark.seq) }
    }

    private func fail(_ signals: Signals, _ key: ReceiptCoalescer.Key, _ error: ClientError) {
        var generator = Seeded(seed: 1)
        signals.fail(key, error, now: start, using: &generator)
    }

    @Test("a receipt that failed is sent again later, and at once when the gateway has said when")
    func failedReceipt() throws {
        let signals = Signals()
        signals.mark(.read, conversation, mark(5))
        let (key, _) = try #require(next(signals, start))
        #expect(next(signals, start) == nil)
        fail(signals, key, .unanswered(.tooManyWaiting))
        #expect(next(signals, start) == nil)
        let time = try #require(signals.receipts.nextDue)
        #expect(time > start && time <= start + .seconds(1))
        #expect(next(signals, time)?.1 == 5)
        fail(signals, key, .refused(Rejection(.rateLimited, "", retryAfterMilliseconds: 7000)))
        #expect(signals.receipts.nextDue == start + .seconds(7))
    }

    @Test("a receipt that the gateway will never take is not sent again, and later ones are")
    func refusedReceipt() throws {
        let signals = Signals()
        signals.mark(.read, conversation, mark(5))
        let (key, _) = try #require(next(signals, start))
        fail(signals, key, .refused(Rejection(.notFound, "")))
        #expect(signals.receipts.nextDue == nil && next(signals, start) == nil)
        signals.mark(.read, conversation, mark(6))
        #expect(next(signals, start)?.1 == 6)
    }

    @Test("typing is told in the order of what was typed, a bounded number of it, and not after a connection is gone")
    func typing() {
        let signals = Signals()
        signals.press(conversation, now: start)
        #expect(signals.stopTyping(conversation))
        #expect(signals.stopTyping(conversation) == false)
        let told = [signals.nextTyping(now: start), signals.nextTyping(now: start), signals.nextTyping(now: start)]
        #expect(told == [.start(conversation), .stop(conversation), nil])

        for _ in 0..<(Signals.mostTypingSignals * 2) { signals.press(.random(), now: start) }
        var count = 0
        while signals.nextTyping(now: start) != nil { count += 1 }
        #expect(count == Signals.mostTypingSignals)

        signals.press(.random(), now: start)
        signals.markDisconnected()
        #expect(signals.nextTyping(now: start) == nil && signals.nextTypingTime == nil)
    }

    @Test("whoever is watched is subscribed to once, and again on the next connection; friends at once")
    func watched() {
        let signals = Signals()
        #expect(signals.watch(bob))
        #expect(signals.watch(bob) == false)
        #expect(signals.watched == [bob])
        let carol = UserID(validated: "carol")
        signals.befriend(carol)
        #expect(signals.watched == [bob, carol])
    }

    @Test("presence is news when it is other than before, and forgotten with the connection and the friendship")
    func presence() throws {
        let signals = Signals()
        let update = PresenceUpdate(user: bob, state: .known(.online), lastSeen: nil)
        #expect(signals.presence(of: bob) == nil)
        #expect(signals.update(update))
        #expect(signals.update(update) == false)
        #expect(signals.presence(of: bob) == update)
        signals.markDisconnected()
        #expect(signals.presence(of: bob) == nil)
        #expect(signals.update(update))
        signals.unfriend(bob)
        #expect(signals.presence(of: bob) == nil)
    }
}
