import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("The order in which messages are sent")
struct SendQueueTests {
    private let start = ContinuousClock.now
    private let one = ConversationID.random()
    private let other = ConversationID.random()

    /// A queue with so many messages for each conversation, alternating.
    private func queue(_ count: Int) -> (queue: SendQueue, one: [MessageID], other: [MessageID]) {
        var queue = SendQueue()
        var ids: ([MessageID], [MessageID]) = ([], [])
        for position in 0..<count {
            let (first, second) = (MessageID.random(), MessageID.random())
            queue.insert(first, in: one, position: position * 2)
            queue.insert(second, in: other, position: position * 2 + 1)
            ids.0.append(first)
            ids.1.append(second)
        }
        return (queue, ids.0, ids.1)
    }

    private func next(_ queue: inout SendQueue, _ now: ContinuousClock.Instant) -> SendQueue.Next {
        queue.next(now: now)
    }

    private func sent(_ id: MessageID) -> SendAnswer {
        .sent(SentMessage(id: id, epoch: "e", seq: 1, createdAt: Timestamp(milliseconds: 0)))
    }

    private func answer(
        _ queue: inout SendQueue, _ answer: SendAnswer, now: ContinuousClock.Instant? = nil
    ) -> SendVerdict {
        var generator = Seeded(seed: 1)
        return queue.handle(answer, now: now ?? start, using: &generator)
    }

    @Test("messages leave one at a time, in the order in which they were written")
    func order() {
        var (queue, one, other) = queue(2)
        for (id, conversation) in [
            (one[0], self.one), (other[0], self.other), (one[1], self.one), (other[1], self.other),
        ] {
            #expect(next(&queue, start) == .send(id, in: conversation))
            #expect(next(&queue, start) == .wait(until: nil))
            let isSent = if case .sent = answer(&queue, sent(id)) { true } else { false }
            #expect(isSent)
        }
        #expect(next(&queue, start) == .wait(until: nil))
    }

    @Test("a message that waits holds up its own conversation and no other")
    func waiting() throws {
        var (queue, one, other) = queue(2)
        #expect(next(&queue, start) == .send(one[0], in: self.one))
        #expect(answer(&queue, .refused(.unavailable)) == .wait)
        #expect(next(&queue, start) == .send(other[0], in: self.other))
        _ = answer(&queue, sent(other[0]))
        #expect(next(&queue, start) == .send(other[1], in: self.other))
        _ = answer(&queue, sent(other[1]))
        guard case .wait(let time?) = queue.next(now: start) else { throw UnexpectedError("no time to go on at") }
        #expect(time > start)
        #expect(next(&queue, time) == .send(one[0], in: self.one))
    }

    @Test("a new connection ends every wait but that which the gateway asked for")
    func reconnection() {
        var (queue, one, _) = queue(1)
        _ = queue.next(now: start)
        _ = answer(&queue, .unanswered(.timedOut(cause: nil)))
        queue.markConnected()
        #expect(next(&queue, start) == .send(one[0], in: self.one))
        _ = answer(&queue, .refused(Rejection(.rateLimited, "", retryAfterMilliseconds: 5000)))
        queue.markConnected()
        #expect(next(&queue, start) == .wait(until: start + .seconds(5)))
        #expect(next(&queue, start + .seconds(5)) == .send(one[0], in: self.one))
    }

    @Test("where a key has changed nothing is sent until it is accepted; elsewhere things go on")
    func held() {
        var (queue, one, other) = queue(1)
        #expect(next(&queue, start) == .send(one[0], in: self.one))
        #expect(answer(&queue, .blocked) == .wait)
        #expect(queue.waitingForKeys == [self.one])
        #expect(next(&queue, start) == .send(other[0], in: self.other))
        _ = answer(&queue, sent(other[0]))
        #expect(next(&queue, start + .seconds(3600)) == .wait(until: nil))
        queue.release(self.one)
        #expect(next(&queue, start) == .send(one[0], in: self.one))
    }

    @Test("what was set aside comes back to its old place")
    func retry() {
        var (queue, one, _) = queue(3)
        queue.remove(one[0])
        #expect(queue.contains(one[0]) == false)
        queue.insert(one[0], in: self.one, position: 0)
        queue.insert(one[0], in: self.one, position: 0)
        #expect(queue.count == 6)
        #expect(next(&queue, start) == .send(one[0], in: self.one))
    }

    @Test("what was discarded while it was under way is not missed")
    func discarded() {
        var (queue, one, other) = queue(1)
        _ = queue.next(now: start)
        queue.remove(one[0])
        #expect(next(&queue, start) == .send(other[0], in: self.other))
    }

    @Test("every code of the catalogue has its consequence", arguments: ErrorCode.allCases)
    func codes(code: ErrorCode) {
        var (queue, one, _) = queue(1)
        _ = queue.next(now: start)
        let rejection = Rejection(code, "")
        let verdict = answer(&queue, .refused(rejection))
        switch code {
        case .staleDevices: #expect(verdict == .reseal(nil))
        case .rateLimited, .unavailable, .unauthenticated, .internal: #expect(verdict == .wait)
        case .badRequest, .forbidden, .notFound, .conflict, .tooLarge, .blocked, .requestLimit, .groupFull,
            .alreadyInGroup, .inviteInvalid, .weekClosed:
            #expect(verdict == .failed(.refused(rejection)))
        }
        #expect(queue.contains(one[0]) == (verdict != .failed(.refused(rejection))))
    }

    @Test(
        "what is never going to be taken is set aside after so many attempts",
        arguments: [
            SendAnswer.refused(.internalFault), .refused(Rejection(.staleDevices, "")), .unanswered(.malformedReply),
        ])
    func poisoned(last: SendAnswer) {
        var (queue, one, other) = queue(1)
        var now = start
        for _ in 0..<100 {
            switch queue.next(now: now) {
            case .send(one[0], _):
                if case .failed = answer(&queue, last, now: now) {
                    #expect(queue.contains(one[0]) == false)
                    return
                }
            case .send(let id, _): _ = answer(&queue, sent(id), now: now)
            case .wait(let time): now = time ?? now
            }
        }
        Issue.record("it is tried for ever; \(other.count) others wait")
    }

    @Test("what can be helped by waiting is never set aside, and the pauses grow to a minute and no more")
    func patience() {
        var (queue, one, _) = queue(1)
        var now = start
        var longest = Duration.zero
        for _ in 0..<500 {
            switch queue.next(now: now) {
            case .send(one[0], _): _ = answer(&queue, .refused(.unavailable), now: now)
            case .send(let id, _): _ = answer(&queue, sent(id), now: now)
            case .wait(let time):
                longest = max(longest, (time ?? now) - now)
                now = time ?? now
            }
        }
        #expect(queue.contains(one[0]))
        #expect(longest > .seconds(10) && longest <= .seconds(60))
    }

    @Test("whatever is answered, each message is sent once and those of a conversation in order", arguments: 0..<200)
    func anyAnswers(seed: UInt64) {
        var generator = Seeded(seed: seed)
        var (queue, one, other) = queue(20)
        var now = start
        var arrived: [ConversationID: [MessageID]] = [:]
        for _ in 0..<5000 {
            switch queue.next(now: now) {
            case .send(let id, let conversation):
                let verdict = queue.handle(
                    [
                        sent(id), .refused(.unavailable), .unanswered(.timedOut(cause: nil)), .blocked, .notNow,
                        .refused(Rejection(.rateLimited, "", retryAfterMilliseconds: 100)),
                    ].randomElement(using: &generator) ?? .notNow, now: now, using: &generator)
                if case .sent = verdict { arrived[conversation, default: []].append(id) }
            case .wait(let time):
                queue.release(self.one)
                queue.release(self.other)
                now = time ?? now
            }
        }
        #expect(arrived == [self.one: one, self.other: other], "seed \(seed)")
    }
}
