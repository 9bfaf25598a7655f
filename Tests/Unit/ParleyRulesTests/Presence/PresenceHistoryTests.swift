import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

/// Random histories of a broker and a gateway, against what each user really did.
@Suite("Presence over random histories", .seeded)
struct PresenceHistoryTests {
    /// What really happened to one user, as the broker has told it.
    private struct Truth {
        var isConnected = false
        /// When the last connection ended, as far as anybody can know.
        var lastEnd: Timestamp?
        /// When that became known.
        var lastEndKnown: Timestamp?
    }

    @Test("nobody flaps, nobody stays online, nobody's last seen is wrong", arguments: 0..<60)
    func histories(number: Int) throws {
        var generator = Seeded(stream: UInt64(200 + number))
        let users: [UserID] = (0..<6).map { UserID(validated: "user-\($0)") }
        let hold: Int64 = 1_000
        var tracker = PresenceTracker(shown: [], hold: .milliseconds(hold), now: at(0))
        tracker.handle(PresenceReport.set(of: [], broker: 1), now: at(0))
        var truths: [UserID: Truth] = Dictionary(uniqueKeysWithValues: users.map { ($0, Truth()) })
        var told: [UserID: Presence] = [:]
        var now: Int64 = 0

        func announce(isCommitted: Bool) throws {
            let batch = tracker.nextAnnouncements(limit: generator.number(1...4), now: at(now))
            for announcement in batch {
                let truth = try #require(truths[announcement.user])
                switch announcement.presence {
                case .online:
                    #expect(told[announcement.user] != .online)
                    let isHeld = truth.lastEndKnown.map { at(now) <= $0.advanced(byMilliseconds: hold + 100) } ?? false
                    #expect(truth.isConnected || isHeld)
                case .offline(let lastSeen):
                    #expect(!truth.isConnected && lastSeen == truth.lastEnd)
                    #expect(truth.lastEndKnown.map { at(now) >= $0.advanced(byMilliseconds: hold) } == true)
                }
                if isCommitted { told[announcement.user] = announcement.presence }
            }
            if isCommitted, !batch.isEmpty { tracker.recordCommit(batch, now: at(now)) }
        }

        for _ in 0..<400 {
            now += Int64(generator.number(0...400))
            let user = try generator.element(users)
            switch generator.number(0...11) {
            case 0...3:
                truths[user]?.isConnected = true
                tracker.handle(.online(user), now: at(now))
            case 4...7:
                if truths[user]?.isConnected == true {
                    truths[user] = Truth(isConnected: false, lastEnd: at(now), lastEndKnown: at(now))
                }
                tracker.handle(.offline(user), now: at(now))
            case 8:
                // A whole set, after a while in which nobody looked and some have come and gone.
                let lostAt = at(now)
                tracker.recordLostSight(now: lostAt)
                now += Int64(generator.number(0...3_000))
                for user in users where generator.chance(0.3) {
                    if truths[user]?.isConnected == true {
                        truths[user] = Truth(isConnected: false, lastEnd: lostAt, lastEndKnown: at(now))
                    } else {
                        truths[user]?.isConnected = true
                    }
                }
                let present = users.filter { truths[$0]?.isConnected == true }
                tracker.handle(PresenceReport.set(of: present, broker: 2), now: at(now))
            case 9: tracker.handle(.begin(broker: 3, count: UInt32(generator.number(0...3))), now: at(now))
            default: break
            }
            try announce(isCommitted: generator.chance(0.8))
        }
        // Left alone, it comes to say what is, and then nothing more.
        for _ in 0..<200 {
            guard let next = tracker.nextExpiry else { break }
            now = max(now, next.milliseconds - at(0).milliseconds)
            try announce(isCommitted: true)
        }
        #expect(tracker.nextExpiry == nil)
        for user in users {
            let isOnline = truths[user]?.isConnected == true
            #expect((told[user] == .online) == isOnline, "\(user)")
        }
    }
}
