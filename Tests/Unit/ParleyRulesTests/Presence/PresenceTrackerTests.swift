import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Who is online, held for a while")
struct PresenceTrackerTests {
    /// A tracker that has seen a first, empty set.
    private func tracker(shown: [UserID] = [], capacity: Int = 100) -> PresenceTracker {
        var tracker = PresenceTracker(shown: shown, hold: .seconds(10), capacity: capacity, now: at(0))
        tracker.handle(PresenceReport.set(of: [], broker: 1), now: at(0))
        return tracker
    }

    @Test("who connects is online at once, and once")
    func connectingIsOnlineOnce() {
        var tracker = tracker()
        tracker.handle(.online("alice"), now: at(5))
        #expect(tracker.nextExpiry.map { $0 <= at(5) } == true)
        #expect(tracker.commit(now: at(5)) == ["alice": .online])
        tracker.handle(.online("alice"), now: at(100))
        #expect(tracker.commit(now: at(100)).isEmpty)
        #expect(tracker.nextExpiry == nil)
    }

    @Test("who goes is offline when the hold is over, and was last seen when they went")
    func offlineAfterTheHold() {
        var tracker = tracker()
        tracker.handle(.online("alice"), now: at(0))
        _ = tracker.commit(now: at(0))
        tracker.handle(.offline("alice"), now: at(1_034))
        #expect(tracker.nextExpiry == at(11_100))
        #expect(tracker.commit(now: at(11_033)).isEmpty)
        #expect(tracker.commit(now: at(11_100)) == ["alice": .offline(lastSeen: at(1_034))])
        #expect(tracker.commit(now: at(60_000)).isEmpty)
        #expect(tracker.nextExpiry == nil)
    }

    @Test("who comes back in time was never away", arguments: [Int64(1), 5_000, 9_999])
    func backInTimeWasNeverAway(after gap: Int64) {
        var tracker = tracker()
        tracker.handle(.online("alice"), now: at(0))
        _ = tracker.commit(now: at(0))
        tracker.handle(.offline("alice"), now: at(1_000))
        tracker.handle(.online("alice"), now: at(1_000 + gap))
        for later in stride(from: Int64(1_000), through: 30_000, by: 50) {
            #expect(tracker.commit(now: at(1_000 + gap + later)).isEmpty)
        }
        tracker.handle(.offline("alice"), now: at(50_000))
        #expect(tracker.commit(now: at(59_999)).isEmpty)
        #expect(tracker.commit(now: at(60_000)) == ["alice": .offline(lastSeen: at(50_000))])
    }

    @Test("who looks in for a moment was online, whatever came between reports and announcing")
    func briefVisitWasOnline() {
        var tracker = tracker()
        tracker.handle(.online("alice"), now: at(0))
        tracker.handle(.offline("alice"), now: at(0))
        #expect(tracker.commit(now: at(1)) == ["alice": .online])
        #expect(tracker.commit(now: at(10_000)) == ["alice": .offline(lastSeen: at(0))])
    }

    @Test("a first whole set corrects what was announced before: who is not in it goes, after the hold")
    func wholeSetCorrectsAnnouncements() {
        var tracker = PresenceTracker(shown: ["alice", "bob"], hold: .seconds(10), now: at(0))
        #expect(tracker.commit(now: at(60_000)).isEmpty)
        #expect(tracker.broker == nil)
        tracker.handle(PresenceReport.set(of: ["bob", "carol"], broker: 9), now: at(60_000))
        #expect(tracker.broker == 9)
        #expect(tracker.commit(now: at(60_000)) == ["carol": .online])
        // They went at some moment while nobody looked: at the latest that is known they were there.
        #expect(tracker.commit(now: at(70_000)) == ["alice": .offline(lastSeen: at(0))])
    }

    @Test("who reconnects after the broker has restarted was never away; who does not was last seen before it")
    func reconnectAfterBrokerRestart() {
        var tracker = tracker()
        for user: UserID in ["alice", "bob"] { tracker.handle(.online(user), now: at(0)) }
        _ = tracker.commit(now: at(0))
        tracker.recordLostSight(now: at(1_000))
        tracker.recordLostSight(now: at(2_000))
        tracker.handle(PresenceReport.set(of: [], broker: 2), now: at(61_000))
        tracker.handle(.online("alice"), now: at(62_000))
        #expect(tracker.commit(now: at(70_900)).isEmpty)
        #expect(tracker.commit(now: at(71_000)) == ["bob": .offline(lastSeen: at(1_000))])
    }

    @Test("a set that is not whole counts for nothing")
    func partialSetCountsForNothing() {
        let reports: [[PresenceReport]] = [
            [.everyone([]), .end], [.end], [.begin(broker: 3, count: 1), .end],
            [.begin(broker: 3, count: 0), .everyone(["bob"]), .end],
            [.begin(broker: 3, count: 1), .everyone(["bob", "carol", "dan"]), .end],
            [.begin(broker: 3, count: 0), .online("bob"), .end], [.begin(broker: 3, count: 0)],
        ]
        for set in reports {
            var tracker = tracker()
            tracker.handle(.online("alice"), now: at(0))
            tracker.handle(set, now: at(0))
            #expect(tracker.broker == 1)
            let online = tracker.commit(now: at(0))
            #expect(online["alice"] == .online && online["carol"] == nil)
            #expect(tracker.commit(now: at(30_000)).isEmpty)
            tracker.handle(PresenceReport.set(of: [], broker: 3), now: at(30_000))
            #expect(tracker.commit(now: at(40_000))["alice"] == .offline(lastSeen: at(30_000)))
        }
    }

    @Test("what is not committed stays due, and is tried again a second later")
    func uncommittedStaysDue() {
        var tracker = tracker()
        tracker.handle(.online("alice"), now: at(0))
        #expect(tracker.nextAnnouncements(limit: 10, now: at(0)).map(\.user) == ["alice"])
        #expect(tracker.nextExpiry == at(1_000))
        #expect(tracker.nextAnnouncements(limit: 10, now: at(999)).isEmpty)
        #expect(tracker.commit(now: at(1_000)) == ["alice": .online])
    }

    @Test("a disk that was full for long loses no last seen")
    func fullDiskLosesNoLastSeen() {
        var tracker = tracker()
        tracker.handle(.online("alice"), now: at(0))
        _ = tracker.nextAnnouncements(limit: 10, now: at(0))
        tracker.handle(.offline("alice"), now: at(500))
        #expect(tracker.commit(now: at(20_000)) == ["alice": .offline(lastSeen: at(500))])
    }

    @Test("many at once come in batches, with pauses between")
    func manyComeInBatches() {
        var tracker = tracker(capacity: 1_000)
        let users = (0..<600).map { UserID(validated: "user-\($0)") }
        for user in users { tracker.handle(.online(user), now: at(0)) }
        var (announced, batches, clock): (Set<UserID>, Int, Int64) = ([], 0, 0)
        while let next = tracker.nextExpiry {
            clock = max(clock, next.milliseconds - at(0).milliseconds)
            let batch = tracker.commit(limit: 256, now: at(clock))
            announced.formUnion(batch.keys)
            batches += 1
        }
        #expect(announced == Set(users) && batches == 3)
        #expect(.milliseconds(clock) == PresenceTracker.batchInterval * 2)
    }

    @Test("beyond the capacity users are not shown, until there is room")
    func capacityHidesUsers() {
        var tracker = tracker(capacity: 2)
        for user: UserID in ["alice", "bob", "carol"] { tracker.handle(.online(user), now: at(0)) }
        #expect(Set(tracker.commit(now: at(0)).keys) == ["alice", "bob"])
        tracker.handle(.offline("bob"), now: at(0))
        tracker.handle(.online("carol"), now: at(5_000))
        #expect(Array(tracker.commit(now: at(10_000)).keys) == ["bob"])
        tracker.handle(.online("carol"), now: at(10_000))
        #expect(tracker.commit(now: at(10_100)) == ["carol": .online])
    }

    @Test("a clock that steps back shortens and lengthens no hold")
    func clockStepKeepsHold() {
        var tracker = tracker()
        tracker.handle(.online("alice"), now: at(100_000))
        _ = tracker.commit(now: at(100_000))
        tracker.handle(.offline("alice"), now: at(101_000))
        tracker.recordLostSight(now: at(-900_000))
        #expect(tracker.commit(now: at(-890_100)).isEmpty)
        #expect(tracker.commit(now: at(-890_000)) == ["alice": .offline(lastSeen: at(-900_000))])
    }

    @Test("what a friend is shown of who keeps it to themselves says nothing")
    func hiddenPresenceSaysNothing() {
        let states: [Presence] = [.online, .offline(lastSeen: at(0)), .offline(lastSeen: nil)]
        for state in states {
            #expect(state.shown(under: .friends) == state)
            #expect(state.shown(under: .nobody) == .offline(lastSeen: nil))
        }
    }
}

extension PresenceTracker {
    mutating func handle(_ reports: [PresenceReport], now: Timestamp) {
        for report in reports { handle(report, now: now) }
    }

    /// Takes a batch and has it on disk.
    mutating func commit(limit: Int = 1_000, now: Timestamp) -> [UserID: Presence] {
        let batch = nextAnnouncements(limit: limit, now: now)
        if !batch.isEmpty { recordCommit(batch, now: now) }
        return Dictionary(uniqueKeysWithValues: batch.map { ($0.user, $0.presence) })
    }
}
