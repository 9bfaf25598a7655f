import ParleyProtocol
import ParleyPush
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Notifications on their way", .onEveryStore)
struct PushJobTests {
    private let broken = PushProblem(status: 500, "internal error")
    private let lost = PushProblem(status: nil, "the answer was lost", isUncertain: true)

    @Test("what was accepted is done, and what became of it is known")
    func accepted() throws {
        let world = try PushWorld()
        let message = try world.write()
        let begun = try world.step().begun
        let step = try world.step(outcomes: world.outcomes(begun, .accepted(status: 204)))
        #expect(step.begun.isEmpty && step.nextDue == nil)
        #expect(try world.answers(of: message) == ["accepted (204) after 1, repeated 0"])
        #expect(world.test.counters.pushesSent.current == 1)
        #expect(try world.text("SELECT count(*) FROM jobs") == "0")
    }

    @Test("those of one device go out one after the other, in their order")
    func inOrder() throws {
        let world = try PushWorld()
        for _ in 0..<3 { try world.write() }
        var seqs: [Int] = []
        var outcomes: [PushOutcome] = []
        for _ in 0..<3 {
            let begun = try world.step(outcomes: outcomes).begun
            #expect(begun.count == 1)
            seqs += begun.compactMap(\.seq)
            outcomes = world.outcomes(begun, .accepted(status: 200))
        }
        #expect(seqs == [1, 2, 3])
        #expect(try world.step(outcomes: outcomes).begun.isEmpty)
    }

    @Test("what failed is tried again under the same id, no earlier than the service says, and what follows waits")
    func retried() throws {
        let world = try PushWorld()
        let message = try world.write()
        try world.write()
        let first = try world.step().begun
        let failed = try world.step(outcomes: world.outcomes(first, .later(broken, after: .seconds(30))))
        #expect(failed.begun.isEmpty)
        let due = try #require(failed.nextDue)
        #expect(due >= at(30_000) && due <= at(32_000))
        #expect(try world.step(now: due.advanced(byMilliseconds: -1)).begun.isEmpty)
        let second = try world.step(now: due).begun
        #expect(second.map(\.id) == first.map(\.id) && second.map(\.attempts) == [2])
        #expect(try world.answers(of: message) == ["to be tried again: internal error after 2, repeated 0"])
    }

    @Test("what a broken service was not even asked for counts as no attempt")
    func notTried() throws {
        let world = try PushWorld()
        try world.write()
        let first = try world.step().begun
        let step = try world.step(outcomes: world.outcomes(first, .notTried(after: .seconds(5))))
        #expect(step.nextDue == at(5000))
        #expect(try world.step(now: at(5000)).begun.map(\.attempts) == [1])
    }

    @Test("after its deadline it is given up and counted")
    func tooLate() throws {
        let world = try PushWorld { $0.pushDeadlineHours = 1 }
        let message = try world.write()
        let first = try world.step().begun
        try world.step(outcomes: world.outcomes(first, .later(broken, after: .seconds(3600))))
        #expect(try world.answers(of: message) == ["too late: internal error after 1, repeated 0"])
        let second = try world.write(now: at(0))
        try world.step(room: 0)
        #expect(try world.step(now: at(.seconds(3600))).begun.isEmpty)
        #expect(try world.answers(of: second) == ["too late after 0, repeated 0"])
        #expect(world.test.counters.pushesDropped.current == 2)
    }

    @Test("a registration that has ended is removed with what was on its way, unless the device has registered again")
    func ended() throws {
        let world = try PushWorld()
        try world.write()
        try world.write()
        let begun = try world.step().begun
        try world.step(outcomes: world.outcomes(begun, .ended(status: 410, since: at(5))))
        #expect(try world.test.text("SELECT count(*) FROM push_registrations") == "0")
        #expect(try world.text("SELECT count(*) FROM jobs") == "0")
        try world.register("bob", "phone", now: at(10))
        let message = try world.write(now: at(11))
        let later = try world.step(now: at(11)).begun
        let ended = world.outcomes(later, .ended(status: 410, since: at(5)))
        // The same answer may come each time: it is not asked for without a pause.
        try world.step(now: at(12), outcomes: ended, room: 0)
        #expect(try world.test.text("SELECT count(*) FROM push_registrations") == "1")
        #expect(
            try world.answers(of: message) == ["to be tried again: no such registration (410) after 1, repeated 0"])
        #expect(try world.step(now: at(.seconds(3))).begun.map(\.attempts) == [2])
    }

    @Test("an answer about an earlier registration does not touch the present one, which gets the notification")
    func earlierRegistration() throws {
        let world = try PushWorld()
        try world.write()
        let begun = try world.step().begun
        try world.register("bob", "phone", endpoint: "https://example.com/new", now: at(1))
        let again = try world.step(now: at(2), outcomes: world.outcomes(begun, .ended(status: 410, since: nil)))
        #expect(try world.test.text("SELECT count(*) FROM push_registrations") == "1")
        let built = try world.build(again.begun)
        #expect(built.deliveries.map(\.target.address) == ["https://example.com/new"])
    }

    @Test("an address belongs to one device at a time, and what was on its way to the earlier owner is gone")
    func soldPhone() throws {
        let world = try PushWorld()
        try world.write()
        try world.step(room: 0)
        try world.register("carol", "phone", endpoint: "https://example.com/bob/phone", now: at(1))
        #expect(try world.step(now: at(1)).begun.isEmpty)
        #expect(
            try world.test.text("SELECT group_concat(\"user\" || '/' || device) FROM push_registrations")
                == "carol/phone")
    }

    @Test("a device that registers anew gets what waits for it there")
    func registeredAnew() throws {
        let world = try PushWorld()
        try world.write()
        try world.step(room: 0)
        try world.register("bob", "phone", endpoint: "https://example.com/new", now: at(1))
        let built = try world.build(world.step(now: at(1)).begun)
        #expect(built.deliveries.map(\.target.address) == ["https://example.com/new"])
    }

    @Test("a device that was revoked is reached no more")
    func revoked() throws {
        let world = try PushWorld()
        let message = try world.write()
        try world.step(room: 0)
        try world.perform(RevokeDevice.self, #"{"device_id":"phone"}"#, by: device("bob", "laptop"))
        #expect(try world.step().begun.isEmpty)
        #expect(try world.test.text("SELECT count(*) FROM push_registrations") == "0")
        #expect(
            try world.answers(of: message) == ["the device is not registered any more after 0, repeated 0"])
    }

    /// The first message to bob's phone fails until others bypass it.
    private func failAgainAndAgain(_ world: PushWorld) throws -> (now: Timestamp, begun: [PushJob]) {
        var now = at(0)
        var begun = try world.step(now: now).begun
        for _ in 0..<PushRetry.attemptsInLine {
            if begun.isEmpty {
                now = now.advanced(by: PushRetry.longestPause)
                begun = try world.step(now: now).begun
            }
            #expect(begun.map(\.seq) == [1])
            let failed = world.outcomes(begun, .later(PushProblem(status: 500, "HTTP 500"), after: nil))
            begun = try world.step(now: now, outcomes: failed).begun
        }
        return (now, begun)
    }

    @Test("a job that its service never accepts is bypassed after some attempts, and is not lost")
    func bypassed() throws {
        let world = try PushWorld()
        try world.write()
        try world.write()
        let (now, begun) = try failAgainAndAgain(world)
        let second = try #require(begun.first { $0.seq == 2 })
        let rest = begun.filter { $0.seq == 1 }
        let taken = world.outcomes([second] + rest, .accepted(status: 200))
        let again = try world.step(now: now, outcomes: taken).begun
        let later = try world.step(now: now.advanced(by: PushRetry.longestPause)).begun
        #expect((rest + again + later).map(\.seq) == [1])
    }

    @Test("a bypassed message is not sent when a later one of its conversation was")
    func bypassedAndReplaced() throws {
        let world = try PushWorld()
        try world.registerWithFCM()
        let first = try world.write()
        let (now, _) = try failAgainAndAgain(world)
        try world.write(now: now)
        let begun = try world.step(now: now).begun.filter { $0.seq == 2 }
        #expect(begun.count == 1)
        try world.step(now: now, outcomes: world.outcomes(begun, .accepted(status: 200)))
        #expect(try world.answers(of: first).map { $0.prefix(29) } == ["superseded by a later message"])
        #expect(try world.text("SELECT count(*) FROM jobs") == "0")
    }

    @Test("a bypassed message is not sent beside a later one of its conversation")
    func bypassedAtOnce() throws {
        let world = try PushWorld()
        try world.registerWithFCM()
        try world.write()
        var (now, _) = try failAgainAndAgain(world)
        now = now.advanced(by: PushRetry.longestPause)
        try world.write(now: now)
        #expect(try world.step(now: now).begun.map(\.seq) == [2])
        now = now.advanced(by: PushRetry.longestPause)
        #expect(try world.step(now: now).begun.isEmpty)
    }

    @Test("a bypassed message is sent after all when the later one is not")
    func bypassedInVain() throws {
        let world = try PushWorld()
        try world.registerWithFCM()
        try world.write()
        try world.write()
        let first = try world.step().begun
        #expect(first.map(\.seq) == [1])
        let second = try world.step(outcomes: world.outcomes(first, .later(broken, after: nil))).begun
        #expect(second.map(\.seq) == [2])
        try world.step(dropped: second.map { ($0, "deleted meanwhile") })
        let again = try world.step(now: at(.seconds(60))).begun
        #expect(again.map(\.id) == first.map(\.id))
        // A third waits until that has its answer: both at once might be shown in any order.
        try world.write(now: at(.seconds(60)))
        #expect(try world.step(now: at(.seconds(61))).begun.isEmpty)
        let taken = world.outcomes(again, .accepted(status: 200))
        #expect(try world.step(now: at(.seconds(63)), outcomes: taken).begun.map(\.seq) == [3])
    }

    @Test("of a conversation the last bypassed message alone is kept")
    func oneBypassed() throws {
        let world = try PushWorld()
        try world.registerWithFCM()
        let first = try world.write()
        for _ in 1...2 { try world.write() }
        var begun = try world.step().begun
        for seq in 1...2 {
            #expect(begun.map(\.seq) == [seq])
            begun = try world.step(outcomes: world.outcomes(begun, .later(broken, after: nil))).begun
        }
        #expect(begun.map(\.seq) == [3])
        #expect(try world.answers(of: first).map { $0.prefix(29) } == ["superseded by a later message"])
        #expect(try world.text("SELECT count(*) FROM jobs") == "2")
        #expect(world.test.counters.pushesDropped.current == 1)
    }

    @Test("jobs that an operator's tests displace are counted and traced")
    func tested() throws {
        let world = try PushWorld()
        for _ in 0...PushJob.mostOfDevice {
            try world.perform(TestPush.self, #"{"user_id":"bob"}"#, by: device("operator", "console"))
        }
        for _ in 0..<3 { try world.step(room: 0) }
        #expect(world.test.counters.pushesDropped.current == 1)
        let displaced = "SELECT count(*) FROM traces WHERE answer = 'too many wait for the device'"
        #expect(try world.text(displaced) == "1")
    }

    @Test("what was not given to a push service was no attempt", arguments: [true, false])
    func unsent(_ isDropped: Bool) throws {
        let world = try PushWorld()
        let message = try world.write()
        let begun = try world.step().begun
        if isDropped {
            try world.step(dropped: begun.map { ($0, "read meanwhile") })
            #expect(try world.answers(of: message) == ["read meanwhile after 0, repeated 0"])
        } else {
            try world.step(outcomes: world.outcomes(begun, .notTried(after: .seconds(1))))
        }
        let unsent = "SELECT count(*) FROM traces WHERE device = 'phone' AND attempts = 0 AND sent_at IS NULL"
        #expect(try world.text(unsent) == "1")
    }

    @Test("a job whose row cannot be read is removed and counted, and holds up no other")
    func unreadable() throws {
        let world = try PushWorld()
        let message = try world.write()
        try world.step(room: 0)
        try world.execute("UPDATE jobs SET type = 'unknown'")
        try world.write()
        let removal = try world.step()
        #expect(removal.begun.isEmpty && world.test.counters.pushesDropped.current == 1)
        #expect(try world.answers(of: message) == ["its job cannot be read after 0, repeated 0"])
        let next = try world.step()
        #expect(next.begun.map(\.seq) == [2] && next.nextDue == nil)
    }

    @Test("a transaction that fails has counted nothing: the next one counts it")
    func countedOnce() throws {
        let world = try PushWorld()
        try world.write()
        let dropped = try world.step().begun.map { (job: $0, reason: "read meanwhile") }
        #expect(throws: StoreError.self) {
            try world.write { queue in
                try queue.drop(dropped)
                throw StoreError.inconsistent(.column(0))
            }
        }
        #expect(world.test.counters.pushesDropped.current == 0)
        try world.step(dropped: dropped)
        #expect(world.test.counters.pushesDropped.current == 1)
    }

    @Test("what was under way when a process was killed is sent again under its id, and counted as uncertain")
    func killed() throws {
        let world = try PushWorld()
        try world.write()
        let begun = try world.step().begun
        #expect(try world.resumed(at: at(1)) == 1)
        let again = try world.step(now: at(1)).begun
        #expect(again.map(\.id) == begun.map(\.id) && again.map(\.repeats) == [1])
        #expect(try world.resumed(at: at(2)) == 1)
    }

    @Test("a lost answer is an attempt that may have arrived")
    func uncertain() throws {
        let world = try PushWorld()
        let message = try world.write()
        let begun = try world.step().begun
        try world.step(outcomes: world.outcomes(begun, .later(lost, after: nil)))
        #expect(world.test.counters.pushesUncertain.current == 1)
        #expect(try world.answers(of: message) == ["to be tried again: the answer was lost after 1, repeated 1"])
    }

    @Test("no more wait for a device than so many: the oldest are dropped")
    func bounded() throws {
        let world = try PushWorld()
        for _ in 0..<(PushJob.mostOfDevice + 8) {
            try world.write()
            try world.step(room: 0)
        }
        #expect(try world.text("SELECT count(*) FROM jobs") == "\(PushJob.mostOfDevice)")
        #expect(world.test.counters.pushesDropped.current == 8)
        #expect(try world.step().begun.map(\.seq) == [1])
    }

    @Test("what a device registers with is checked: https, public, a point of the curve")
    func checked() throws {
        let world = try PushWorld()
        let key = "BAAA" + String(repeating: "A", count: 83)
        for json in [
            #"{"provider":"webhook","endpoint":"http://example.com/","secret":"0123456789abcdef"}"#,
            #"{"provider":"webhook","endpoint":"https://127.0.0.1/","secret":"0123456789abcdef"}"#,
            #"{"provider":"webhook","endpoint":"https://[::1]/","secret":"0123456789abcdef"}"#,
            #"{"provider":"webpush","endpoint":"https://example.com/","p256dh":"\#(key)","auth":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
        ] {
            let reply = try world.social.ask(RegisterPush.self, by: "bob", json)
            #expect(reply.code == "bad_request", "\(json)")
        }
    }
}
