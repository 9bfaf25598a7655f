import ParleyProtocol
import ParleyStore
import TestNames
import Testing

@testable import ParleyBridge

/// Who hears `keys.changed`, and how often.
@Suite("Who hears that keys have changed")
struct KeysChangedTests {
    private let world: SocialWorld

    init() throws { world = try SocialWorld() }

    /// Publishes keys by Bob's phone, the key told by its number.
    private func publish(
        _ number: UInt8, by user: UserID = "bob", in world: SocialWorld, now: Timestamp = at(0)
    ) throws -> [String] {
        try hearers(
            world.test.carryOut([ParleyBridgeTests.publish(TestKeys(number), from: device(user, "phone"))], now: now))
    }

    /// Who is told, in order; all of it about one user.
    private func hearers(_ outcome: Writer.Outcome, of user: UserID = "bob") throws -> [String] {
        try outcome.effects.outgoing.events.filter { $0.event == "keys.changed" }.map { event in
            #expect(event.data["user_id"] as? String == user.text && event.data.count == 1)
            return event.topic.split(separator: "/").dropFirst(3).first.map(String.init) ?? ""
        }
    }

    @Test("friends with a conversation hear of it, and strangers and friends without one do not")
    func friendsHearStrangersDoNot() throws {
        try world.befriend("alice", "bob")
        #expect(try publish(1, in: world) == ["bob"])
        try world.create(by: "alice", with: "bob")
        try world.create(by: "carol", with: "bob")
        #expect(try publish(2, in: world, now: at(10_000)) == ["bob", "alice"])
    }

    @Test("a message request tells its recipient's keys to nobody until it is accepted")
    func requestTellsNoKeys() throws {
        try world.askToWrite(by: "alice", to: "bob")
        #expect(try publish(1, in: world) == ["bob"])
        try world.ask(AcceptRequest.self, by: "bob", direct("alice", "bob"))
        #expect(try publish(2, in: world, now: at(10_000)) == ["bob", "alice"])
    }

    @Test("all of a group hear of it, once, whoever has blocked whom")
    func groupHearsOnce() throws {
        _ = try world.test.conversation(["alice", "bob", "carol"])
        _ = try world.test.conversation(["bob", "alice"])
        try world.ask(Block.self, by: "alice", of: "bob")
        try world.ask(Block.self, by: "bob", of: "carol")
        #expect(try publish(1, in: world) == ["bob", "alice", "carol"])
    }

    /// What Alice and Bob hear of each other's keys after Bob has done something to her.
    private func heard(_ acts: (SocialWorld) throws -> Void) throws -> [[String]] {
        let world = try SocialWorld(privacy: .anyone)
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        try acts(world)
        let ofBob = try publish(1, in: world)
        let byAlice = world.test.carryOut(
            [try ParleyBridgeTests.publish(TestKeys(1), from: device("alice", "phone"))], now: at(1000))
        return [ofBob, try hearers(byAlice, of: "alice")]
    }

    @Test("who was blocked hears what they hear of somebody who has unfollowed them; the blocker hears nothing")
    func blockedHearAsUnfollowed() throws {
        let blocked = try heard { try $0.ask(Block.self, by: "bob", of: "alice") }
        let unfollowed = try heard { world in
            try world.ask(Unfollow.self, by: "bob", of: "alice")
            try world.ask(ProfileChange.self, by: "bob", #"{"message_privacy":"followers"}"#)
            try world.ask(DeclineRequest.self, by: "bob", direct("alice", "bob"))
        }
        #expect(blocked[0] == unfollowed[0] && blocked[0] == ["bob"])
        #expect(blocked[1] == ["alice"])
        #expect(try heard { _ in } == [["bob", "alice"], ["alice", "bob"]])
        #expect(
            try heard { world in
                try world.ask(Block.self, by: "bob", of: "alice")
                try world.ask(Unblock.self, by: "bob", of: "alice")
            } == [["bob", "alice"], ["alice", "bob"]])
    }

    @Test("what keys/get says is what is told of, and nothing else")
    func toldIsWhatKeysGetSays() throws {
        let (phone, laptop, account) = (device("bob", "phone"), device("bob", "laptop"), try TestAccount(1))
        var clock: Int64 = 0
        func told(_ request: IncomingCommand) throws -> Bool {
            clock += 10_000
            let outcome = world.test.carryOut([request], now: at(clock))
            #expect(try outcome.effects.outgoing.replies.map(\.code) == [nil])
            return try !hearers(outcome).isEmpty
        }
        let certified = { (issuedAt: Int64) in
            try ParleyBridgeTests.publish(TestKeys(1), by: account, from: phone, issuedAt: at(issuedAt))
        }
        #expect(try told(ParleyBridgeTests.publish(TestKeys(1), from: phone)))
        #expect(try !told(ParleyBridgeTests.publish(TestKeys(1), from: phone)))
        #expect(try told(certified(1)))
        #expect(try !told(certified(1)))
        #expect(try told(certified(2)))
        #expect(try !told(ParleyBridgeTests.publish(TestKeys(1), from: phone)))
        #expect(try !told(offer(TestKeys(3), from: laptop)))
        #expect(try !told(approve(TestKeys(3), of: laptop, by: account, from: phone, issuedAt: at(3))))
        // A device without keys, and one with.
        #expect(try !told(request(RevokeDevice(device: "laptop"), from: phone)))
        #expect(try !told(request(RenewDevice(device: nil), from: phone)))
        #expect(
            try told(
                request(
                    RevokeUserDevice.self, #"{"user_id":"bob","device_id":"phone"}"#,
                    from: device("operator", "console"))))
    }

    @Test("whoever changes keys all the time is told of once in a few seconds, and of the last change too")
    func frequentChangesAreGathered() throws {
        _ = try world.test.conversation(["alice", "bob"])
        var told: [Int] = []
        for step in 0..<100 {
            let hearers = try publish(UInt8(step + 1), in: world, now: at(Int64(step) * 100))
            #expect(hearers.isEmpty || hearers == ["bob", "alice"])
            if !hearers.isEmpty { told.append(step) }
        }
        #expect(told == [0, 50])
        let clock = world.test.writer
        #expect(!clock.isDue(KeyChangeDuty.self, now: at(9_999)) && clock.isDue(KeyChangeDuty.self, now: at(10_000)))
        #expect(try hearers(world.test.carryOut([], now: at(10_000))) == ["bob", "alice"])
        #expect(try hearers(world.test.carryOut([], now: at(15_000))) == [])
        #expect(try world.test.text("SELECT count(*) FROM key_changes") == "0")
        #expect(clock.wait(for: KeyChangeDuty.self, now: at(1_000_000)) == nil)
    }

    /// Bob and `count` others, three of them to a group.
    private func crowd(_ count: Int) throws -> SocialWorld {
        try world.test.store.write { transaction in
            let users = (0..<count).map { UserID(validated: "u\(1000 + $0)") }
            for user in users { try transaction.users.insert(user, role: .member, displayName: user.text, at: at(0)) }
            for start in stride(from: 0, to: count, by: 3) {
                let members = ["bob"] + users[start..<min(count, start + 3)]
                _ = try transaction.conversations.insert(
                    NewConversation(
                        id: .random(), type: .group, name: nil, creator: "bob", members: members.map { ($0, .member) },
                        epoch: "epoch", digest: nil), at: at(0))
            }
        }
        return world
    }

    @Test("thousands are told in bounded steps, each once, also by the next process")
    func thousandsInBoundedSteps() throws {
        let world = try crowd(1000)
        var told = try publish(1, in: world)
        #expect(told.count <= KeyChangeDuty.hearersAtOnce + 1)
        var (clock, writer): (Int64, Writer) = (0, world.test.writer)
        while told.count < 1001, clock < 60_000 {
            clock += 10
            if clock == 500 { writer = try world.test.anotherWriter() }
            let outcome = writer.carryOut([], now: at(clock))
            let hearers = try hearers(outcome)
            #expect(hearers.count <= KeyChangeDuty.hearersAtOnce)
            told += hearers
        }
        #expect(told == ["bob"] + (0..<1000).map { "u\(1000 + $0)" })
        // No more than a thousand in a second.
        #expect(clock >= 700)
        #expect(try publish(2, in: world, now: at(clock + 10)) == [])
        let next = world.test.carryOut([], now: at(.milliseconds(clock + 1000) + KeyChangeDuty.pause))
        #expect(try hearers(next).count == KeyChangeDuty.hearersAtOnce + 1)
    }

    @Test("whoever has few is told of while others have thousands")
    func fewWaitForNobody() throws {
        let world = try crowd(1000)
        _ = try world.test.conversation(["alice", "carol"])
        _ = try publish(1, in: world)
        let request = try ParleyBridgeTests.publish(TestKeys(1), from: device("carol", "phone"))
        _ = world.test.carryOut([request], now: at(1))
        let outcome = world.test.carryOut([], now: at(400))
        let told = try outcome.effects.outgoing.events.filter { $0.data["user_id"] as? String == "carol" }
        #expect(told.map(\.topic) == ["carol", "alice"].map { "parley/v1/users/\($0)/events" })
    }

    @Test("what a failed transaction was to tell is told later")
    func failedTransactionIsRepeated() throws {
        try world.test.execute(
            "CREATE TRIGGER poison BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'poisoned'); END")
        #expect(try publish(1, in: world) == [])
        try world.test.execute("DROP TRIGGER poison")
        #expect(try world.test.text("SELECT count(*) FROM key_changes") == "0")
        #expect(try publish(1, in: world, now: at(1)) == [])
        #expect(try hearers(world.test.carryOut([], now: at(1000))) == ["bob"])
    }
}
