import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Presence as it is published")
struct PresenceDutyTests {
    private let test: TestWriter
    private let presence: PresenceDuty

    init() throws {
        test = try TestWriter()
        presence = try Self.presence(test)
        presence.handle(PresenceReport.set(of: [], broker: 1), now: at(0))
        #expect(try announced(at: at(0)).isEmpty)
    }

    private static func presence(_ test: TestWriter, now: Timestamp = at(0)) throws -> PresenceDuty {
        try PresenceDuty(test.store, Settings(), now: now)
    }

    /// What was published, as `user state last_seen`, in the order of the users.
    private func told(_ effects: Effects) throws -> [String] {
        try effects.outgoing.events.map { event in
            #expect(event.event == "presence.updated" && event.isRetained && event.position != nil)
            let user = event.data["user_id"] as? String ?? "?"
            #expect(event.topic == "parley/v1/users/\(user)/presence")
            let lastSeen = (event.data["last_seen"] as? String).map { " \($0)" } ?? ""
            return "\(user) \(event.data["state"] as? String ?? "?")\(lastSeen)"
        }.sorted()
    }

    private func announced(_ presence: PresenceDuty? = nil, at time: Timestamp) throws -> [String] {
        try told(test.writer.run(due: presence ?? self.presence, now: time))
    }

    /// How long until something is due; `nil` while nothing is.
    private func wait(at time: Timestamp) -> Duration? { presence.wait(at: test.writer.moment(time)) }

    private func report(_ reports: PresenceReport..., at time: Timestamp) { presence.handle(reports, now: time) }

    private func setPresence(_ privacy: String, at time: Timestamp) throws -> [String] {
        let outcome = test.carryOut([try request(ProfileChange.self, #"{"presence":"\#(privacy)"}"#)], now: time)
        return try told(outcome.effects)
    }

    @Test("coming and going is published, retained, and kept in the outbox until the broker has it")
    func comingAndGoingIsRetained() throws {
        report(.online("alice"), at: at(0))
        #expect(try announced(at: at(0)) == ["alice online"])
        #expect(try test.text("SELECT state FROM presence WHERE user = 'alice'") == "online")
        report(.offline("alice"), at: at(1_000))
        #expect(try announced(at: at(10_999)).isEmpty)
        #expect(try announced(at: at(11_000)) == ["alice offline \(at(1_000))"])
        #expect(try test.text("SELECT count(*) FROM outbox WHERE retain = 1") == "2")
        #expect(wait(at: at(99_000)) == nil)
    }

    @Test("a thousand who reconnect make a few transactions, and who was not away is not announced")
    func reconnectsMakeFewTransactions() throws {
        try test.store.write { transaction in
            for number in 0..<1_000 {
                try transaction.users.insert(
                    UserID(validated: "user-\(number)"), role: .member, displayName: "", at: at(0))
            }
        }
        let users = (0..<1_000).map { UserID(validated: "user-\($0)") }
        let before = test.counters.batches.current
        var (told, now): (Set<String>, Int64) = ([], 0)
        for user in users { report(.online(user), at: at(0)) }
        while let wait = wait(at: at(now)) {
            now += Int64(wait / .milliseconds(1))
            told.formUnion(try announced(at: at(now)))
        }
        #expect(told.count == 1_000)
        #expect(test.counters.batches.current - before == 4)
        for user in users { report(.offline(user), at: at(now)) }
        for user in users { report(.online(user), at: at(now + 5_000)) }
        #expect(try announced(at: at(now + 20_000)).isEmpty)
        #expect(test.counters.batches.current - before == 4)
    }

    @Test("who shows their presence to nobody is shown as nothing, and coming and going tells nobody anything")
    func hiddenPresenceTellsNothing() throws {
        report(.online("alice"), at: at(0))
        #expect(try announced(at: at(0)) == ["alice online"])
        #expect(try setPresence("nobody", at: at(1)) == ["alice offline"])
        #expect(try setPresence("nobody", at: at(2)).isEmpty)
        report(.offline("alice"), at: at(1_000))
        #expect(try announced(at: at(20_000)).isEmpty)
        report(.online("alice"), at: at(30_000))
        #expect(try announced(at: at(30_000)).isEmpty)
        #expect(try setPresence("friends", at: at(30_001)) == ["alice online"])
    }

    @Test("turning it back on tells the truth, also of who is away; and who never came is not made up")
    func turningOnTellsTheTruth() throws {
        #expect(try setPresence("nobody", at: at(0)) == ["alice offline"])
        report(.online("alice"), at: at(1))
        #expect(try announced(at: at(1)).isEmpty)
        report(.offline("alice"), at: at(500))
        #expect(try announced(at: at(20_000)).isEmpty)
        #expect(try setPresence("friends", at: at(30_000)) == ["alice offline \(at(500))"])
    }

    @Test("another change of the profile publishes nothing of presence")
    func otherProfileChanges() throws {
        report(.online("alice"), at: at(0))
        _ = try announced(at: at(0))
        let outcome = test.carryOut([try request(ProfileChange.self, #"{"display_name":"A"}"#)], now: at(1))
        #expect(try told(outcome.effects).isEmpty)
    }

    @Test("operators, and people who are not in the database, are not announced")
    func operatorsAreNotAnnounced() throws {
        report(.online("operator"), .online("nobody"), .online("bob"), at: at(0))
        #expect(try announced(at: at(0)) == ["bob online"])
        #expect(wait(at: at(99_000)) == nil)
    }

    @Test("the next process corrects what was left, and publishes nothing that holds")
    func nextProcessCorrects() throws {
        report(.online("alice"), .online("bob"), at: at(0))
        _ = try announced(at: at(0))
        let next = try Self.presence(test, now: at(60_000))
        next.handle(PresenceReport.set(of: ["bob"], broker: 1), now: at(61_000))
        #expect(try announced(next, at: at(61_000)).isEmpty)
        #expect(try announced(next, at: at(71_000)) == ["alice offline \(at(60_000))"])
    }

    @Test("a broker that may have forgotten what it retained is given all again, once")
    func forgetfulBrokerIsGivenAll() throws {
        report(.online("alice"), .online("bob"), .online("carol"), at: at(0))
        _ = try announced(at: at(0))
        try test.execute("UPDATE users SET presence = 'nobody' WHERE id = 'carol'")
        presence.recordLostSight(now: at(1_000))
        presence.handle(PresenceReport.set(of: [], broker: 2), now: at(2_000))
        report(.online("bob"), at: at(3_000))
        let all = ["alice online", "bob online", "carol offline"]
        #expect(try announced(at: at(3_000)) == all)
        presence.handle(PresenceReport.set(of: ["bob"], broker: 2), now: at(4_000))
        #expect(try announced(at: at(4_000)).isEmpty)
        #expect(try announced(at: at(12_000)) == ["alice offline \(at(1_000))"])

        let next = try Self.presence(test, now: at(60_000))
        next.handle(PresenceReport.set(of: ["bob"], broker: 2), now: at(60_000))
        #expect(try announced(next, at: at(60_000)).isEmpty)
        next.handle(PresenceReport.set(of: ["bob"], broker: 3), now: at(60_001))
        #expect(try announced(next, at: at(60_100)).count == 3)
    }

    @Test("who comes while a broker is given all again is last told of as they are")
    func joiningWhileAllIsGiven() throws {
        try test.store.write { _ = try $0.apply(PendingWrites(presence: .offline(lastSeen: at(0)), of: "alice")) }
        let next = try Self.presence(test, now: at(1_000))
        next.handle(PresenceReport.set(of: ["alice"], broker: 2), now: at(1_000))
        var told: [String] = []
        for step in 0..<3 { told += try announced(next, at: at(1_000 + Int64(step) * 1_000)) }
        #expect(told.last { $0.hasPrefix("alice") } == "alice online" && !told.isEmpty)
    }

    @Test("what cannot be written is due until it can")
    func unwrittenStaysDue() throws {
        try test.execute("CREATE TRIGGER full BEFORE INSERT ON presence BEGIN SELECT RAISE(ABORT, 'no'); END")
        report(.online("alice"), at: at(0))
        #expect(try announced(at: at(0)).isEmpty)
        #expect(wait(at: at(0)) == .seconds(1))
        try test.execute("DROP TRIGGER full")
        #expect(try announced(at: at(999)).isEmpty)
        #expect(try announced(at: at(1_000)) == ["alice online"])
    }

    @Test("who was connected to a process that was killed may have left when that is last known to have run")
    func leftWithAnEarlierProcess() throws {
        report(.online("bob"), at: at(0))
        _ = try announced(at: at(0))
        let people = ConnectedPeople()
        let next = try PresenceDuty(test.store, Settings(), people: people, now: at(1_200_000), lastTime: at(1_000))
        next.handle(PresenceReport.set(of: [], broker: 2), now: at(1_200_100))
        #expect(people.drainDepartures(limit: 9) == [ConnectedPeople.Departure(user: "bob", at: at(1_000))])
    }

    @Test("who had left a process that was killed shortly before has left once more, and nobody from long before")
    func leftShortlyBefore() throws {
        report(.online("alice"), .online("bob"), at: at(0))
        _ = try announced(at: at(0))
        report(.offline("alice"), at: at(100_000))
        report(.offline("bob"), at: at(100_001))
        _ = try announced(at: at(110_000)) + announced(at: at(120_000))
        let (people, end) = (ConnectedPeople(), at(100_001 + 720_000))
        let next = try PresenceDuty(test.store, Settings(), people: people, now: at(1_200_000), lastTime: end)
        next.handle(PresenceReport.set(of: [], broker: 2), now: at(1_200_100))
        #expect(people.drainDepartures(limit: 9) == [ConnectedPeople.Departure(user: "bob", at: end)])
    }
}

extension PendingWrites {
    fileprivate init(presence: Presence, of user: UserID) {
        self.init()
        put(presence, of: user)
    }
}
