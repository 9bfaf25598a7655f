import ParleyProtocol
import ParleyPush
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Places of a provider are shared among users.
@Suite("Turns of users at push services", .onEveryStore)
struct PushTurnTests {
    /// bob has five devices at webhooks that do not answer; carol has one.
    private func world() throws -> PushWorld {
        // Two places for the devices of one user.
        let world = try PushWorld { $0.pushConcurrency = 64 }
        let console = device("operator", "console")
        for number in 0..<4 {
            let add = #"{"user_id":"bob","device_id":"hook\#(number)"}"#
            _ = world.test.carryOut([try request(AddDevice.self, add, from: console)])
            try world.register("bob", DeviceID(validated: "hook\(number)"))
        }
        try world.register("carol", "phone")
        try world.social.create(by: "alice", with: "carol")
        return world
    }

    private func devices(_ jobs: [PushJob]) -> [UserID: Int] {
        Dictionary(jobs.map { ($0.device.user, 1) }, uniquingKeysWith: +)
    }

    @Test("endpoints of one user that do not answer hold two places of 64, and others go out meanwhile")
    func slowEndpoints() throws {
        let world = try world()
        try world.write()
        try world.social.write("alice", to: "carol")
        let first = try world.step(room: 64)
        #expect(devices(first.begun) == ["bob": 2, "carol": 1])
        // What found no place has not been tried, and is looked at again soon.
        #expect(first.nextDue == at(PushRetry.pauseForTurn))
        let forCarol = first.begun.filter { $0.device.user == "carol" }
        for number in 1...10 {
            let now = at(.seconds(number))
            let accepted = number == 1 ? world.outcomes(forCarol, .accepted(status: 200)) : []
            #expect(try world.step(now: now, outcomes: accepted, room: 62).begun.isEmpty)
        }
        try world.social.write("alice", to: "carol", now: at(.seconds(11)))
        #expect(try devices(world.step(now: at(.seconds(11)), room: 62).begun) == ["carol": 1])
    }

    @Test("all go out as those before them are answered, each once and as a first attempt")
    func turns() throws {
        let world = try world()
        try world.write()
        var begun = try world.step(room: 64).begun
        var reached: [DeviceID] = []
        for number in 1...3 {
            #expect(begun.allSatisfy { $0.attempts == 1 })
            reached += begun.map(\.device.device)
            begun = try world.step(
                now: at(.seconds(number)), outcomes: world.outcomes(begun, .accepted(status: 200)), room: 64
            ).begun
        }
        #expect(begun.isEmpty)
        #expect(reached.map(\.text).sorted() == ["hook0", "hook1", "hook2", "hook3", "phone"])
    }

    @Test("a bypassed job without a turn is looked at rarely, and expires all the same")
    func bypassedWithoutTurn() throws {
        let world = try world()
        try world.write()
        #expect(try devices(world.step(room: 64).begun) == ["bob": 2])
        // As if the others had failed so often.
        try world.execute("UPDATE jobs SET is_bypassed = 1 WHERE is_under_way = 0")
        func due() throws -> String? {
            try world.text("SELECT group_concat(DISTINCT due_at) FROM jobs WHERE is_under_way = 0")
        }
        for (seconds, pause) in [(1, 30), (31, 30), (61, 30), (800, 100)] {
            try world.step(now: at(.seconds(seconds)), room: 62)
            #expect(try due() == "\(at(.seconds(seconds + pause)).milliseconds)")
        }
        try world.step(now: at(world.test.writer.settings.pushDeadline), room: 62)
        #expect(try world.text("SELECT count(*) FROM jobs WHERE is_under_way = 0") == "0")
        #expect(world.test.counters.pushesDropped.current == 3)
    }
}
