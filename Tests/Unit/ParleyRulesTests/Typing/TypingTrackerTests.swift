import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@Suite("Who is typing")
struct TypingTrackerTests {
    private let conversation = ConversationID.random()
    private let phone = device("alice", "phone")

    private func indicator(_ sender: DeviceAddress, _ isTyping: Bool, until expiry: Timestamp) -> TypingIndicator {
        TypingIndicator(conversation: conversation, sender: sender, isTyping: isTyping, expiresAt: expiry)
    }

    @Test(
        "one start in two seconds counts",
        arguments: [(Int64(1), false), (1999, false), (2000, true), (4999, true), (5000, true)])
    func interval(after milliseconds: Int64, counts: Bool) {
        var tracker = TypingTracker(startInterval: .seconds(2))
        #expect(tracker.start(conversation, sender: phone, now: at(0)) == indicator(phone, true, until: at(5000)))
        #expect((tracker.start(conversation, sender: phone, now: at(milliseconds)) != nil) == counts)
    }

    @Test("a stop does not let the next start come sooner")
    func stopKeepsInterval() {
        var tracker = TypingTracker(startInterval: .seconds(2))
        _ = tracker.start(conversation, sender: phone, now: at(0))
        #expect(tracker.stop(conversation, sender: phone, now: at(500)) == indicator(phone, false, until: at(500)))
        #expect(tracker.start(conversation, sender: phone, now: at(1999)) == nil)
        #expect(tracker.start(conversation, sender: phone, now: at(2000)) != nil)
    }

    @Test("nor does an expiry, where the interval is the longer")
    func expiryKeepsInterval() {
        var tracker = TypingTracker(startInterval: .seconds(60))
        _ = tracker.start(conversation, sender: phone, now: at(0))
        #expect(tracker.expire(now: at(5000)).count == 1)
        #expect(tracker.start(conversation, sender: phone, now: at(59_999)) == nil)
        #expect(tracker.start(conversation, sender: phone, now: at(60_000)) != nil)
    }

    @Test("who was not typing stops nothing")
    func stopWithoutStart() {
        var tracker = TypingTracker(startInterval: .seconds(2))
        #expect(tracker.stop(conversation, sender: phone, now: at(0)) == nil)
        _ = tracker.start(conversation, sender: phone, now: at(0))
        _ = tracker.stop(conversation, sender: phone, now: at(1))
        #expect(tracker.stop(conversation, sender: phone, now: at(2)) == nil)
    }

    @Test("a start ends after five seconds, exactly once")
    func startEndsAfterFiveSeconds() {
        var tracker = TypingTracker(startInterval: .seconds(2))
        _ = tracker.start(conversation, sender: phone, now: at(0))
        #expect(tracker.nextExpiry == at(5000))
        #expect(tracker.expire(now: at(4999)).isEmpty)
        #expect(tracker.expire(now: at(5000)) == [indicator(phone, false, until: at(5000))])
        #expect(tracker.expire(now: at(5000)).isEmpty)
        #expect(tracker.count == 0 && tracker.nextExpiry == nil)
    }

    @Test("a renewal puts the end off")
    func renewalPutsEndOff() {
        var tracker = TypingTracker(startInterval: .seconds(2))
        _ = tracker.start(conversation, sender: phone, now: at(0))
        _ = tracker.start(conversation, sender: phone, now: at(3000))
        #expect(tracker.expire(now: at(5000)).isEmpty)
        #expect(tracker.expire(now: at(8000)) == [indicator(phone, false, until: at(8000))])
    }

    @Test("devices and conversations do not share a start")
    func startsAreNotShared() {
        var tracker = TypingTracker(startInterval: .seconds(2))
        let other = ConversationID.random()
        _ = tracker.start(conversation, sender: phone, now: at(0))
        #expect(tracker.start(other, sender: phone, now: at(1)) != nil)
        #expect(tracker.start(conversation, sender: device("alice", "laptop"), now: at(1)) != nil)
        #expect(tracker.expire(now: at(5001)).count == 3)
    }

    @Test("beyond the capacity starts are dropped, until there is room")
    func capacityDropsStarts() {
        var tracker = TypingTracker(capacity: 2, startInterval: .seconds(2))
        let senders = ["one", "two", "three"].map { device("alice", DeviceID(validated: $0)) }
        #expect(senders.map { tracker.start(conversation, sender: $0, now: at(0)) != nil } == [true, true, false])
        #expect(tracker.start(conversation, sender: senders[0], now: at(2000)) != nil)
        _ = tracker.stop(conversation, sender: senders[1], now: at(2001))
        #expect(tracker.start(conversation, sender: senders[2], now: at(2002)) != nil)
        #expect(tracker.count == 2)
    }

    @Test(
        "where the clock steps back, what was to last five seconds lasts five seconds",
        arguments: [Int64(1), 4000, 3_600_000])
    func clockBack(step: Int64) {
        var tracker = TypingTracker(startInterval: .seconds(2))
        _ = tracker.start(conversation, sender: phone, now: at(0))
        _ = tracker.expire(now: at(1000))
        #expect(tracker.expire(now: at(1000 - step)).isEmpty)
        #expect(tracker.nextExpiry == at(5000 - step))
        #expect(tracker.expire(now: at(4999 - step)).isEmpty)
        #expect(tracker.expire(now: at(5000 - step)).count == 1)
    }

    @Test("where the clock steps back, the limit goes on and locks nobody out")
    func clockStepLocksNobodyOut() {
        var tracker = TypingTracker(startInterval: .seconds(2))
        _ = tracker.start(conversation, sender: phone, now: at(0))
        _ = tracker.stop(conversation, sender: phone, now: at(1000))
        #expect(tracker.start(conversation, sender: phone, now: at(-3_600_000)) == nil)
        #expect(tracker.start(conversation, sender: phone, now: at(-3_600_000 + 1000)) != nil)
    }

    @Test(
        "every start is followed by one stop, and none comes later than five seconds after the last", .seeded,
        arguments: 0..<20)
    func pairs(stream: Int) {
        var generator = Seeded(stream: UInt64(stream))
        var tracker = TypingTracker(capacity: 5, startInterval: .seconds(2))
        let senders = (0..<8).map { device("alice", DeviceID(validated: "d\($0)")) }
        var typing: [DeviceAddress: Timestamp] = [:]
        var now = at(0)
        func hear(_ indicator: TypingIndicator?) {
            guard let indicator else { return }
            if indicator.isTyping {
                typing[indicator.sender] = now
            } else {
                #expect(typing.removeValue(forKey: indicator.sender) != nil)
            }
        }
        for _ in 0..<2000 {
            now = now.advanced(byMilliseconds: Int64(generator.number(0...900)))
            for indicator in tracker.expire(now: now) { hear(indicator) }
            #expect(typing.values.allSatisfy { now < $0.advanced(byMilliseconds: 5000) })
            let sender = senders[generator.number(0...7)]
            if generator.chance(0.7) {
                hear(tracker.start(conversation, sender: sender, now: now))
            } else {
                hear(tracker.stop(conversation, sender: sender, now: now))
            }
            #expect(tracker.count == typing.count && tracker.count <= 5)
        }
    }

    @Test("whoever leaves a conversation types there no more, and elsewhere as before")
    func leavingEndsTypingThere() {
        var tracker = TypingTracker(startInterval: .seconds(2))
        let (left, other) = (ConversationID.random(), ConversationID.random())
        for conversation in [left, other] {
            for name in ["phone", "laptop"] as [DeviceID] {
                _ = tracker.start(conversation, sender: device("alice", name), now: at(0))
            }
            _ = tracker.start(conversation, sender: device("bob", "phone"), now: at(0))
        }
        let stops = tracker.leave(left, user: "alice", now: at(10))
        #expect(Set(stops.map(\.sender)) == [device("alice", "phone"), device("alice", "laptop")])
        #expect(stops.allSatisfy { $0.conversation == left && !$0.isTyping })
        #expect(tracker.leave(left, user: "alice", now: at(11)).isEmpty)
        #expect(tracker.count == 4)
        // Who is back may type at once.
        #expect(tracker.start(left, sender: device("alice", "phone"), now: at(12)) != nil)
    }
}
