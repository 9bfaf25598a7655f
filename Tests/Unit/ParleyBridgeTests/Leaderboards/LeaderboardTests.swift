import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// How boards stand, when they are published, and to whom they are shown. It is Thursday, 2026-01-15, 09:00 UTC.
@Suite("Leaderboards", .onEveryStore)
struct LeaderboardTests {
    private let world: BoardWorld

    init() throws { world = try BoardWorld() }

    @Test("a board says its week, who stands where, and what was before")
    func object() throws {
        try world.log("alice")
        try world.log("bob", at: at(-10))
        try world.log("bob", at: at(-5))
        let data = try world.get(.checkIns).data
        #expect(data["group_id"] as? String == "\(world.group)" && data["type"] as? String == "check-ins")
        #expect(data["week"] as? String == "2026-W03")
        #expect(data["starts_at"] as? String == "2026-01-12T00:00:00.000Z")
        #expect(data["ends_at"] as? String == "2026-01-19T00:00:00.000Z")
        #expect(data["closes_at"] as? String == "2026-01-19T12:00:00.000Z")
        #expect(data["next_reset_at"] as? String == "2026-01-19T00:00:00.000Z")
        #expect(data["is_final"] as? Bool == false)
        let entries = try #require(data["entries"] as? [[String: Any]])
        #expect(entries.map { $0["display_name"] as? String } == ["bob", "alice"])
        #expect(entries.map { $0["rank"] as? Int } == [1, 2])
        #expect(entries.map { $0["previous_rank"] as? Int } == [nil, 1])
        #expect(entries[0]["reached_at"] as? String == "\(at(-5))")
    }

    @Test("only members see a board, and only of weeks that there are")
    func refusals() throws {
        #expect(try world.get(.streak, by: "dave").code == "not_found")
        #expect(try world.get(.streak, week: "2026-W02").code == "not_found")
        #expect(try world.get(.streak, week: "2026-W04").code == "not_found")
        #expect(try world.get(.streak, week: "2026-W03").isOK == true)
        let other = try world.world.read(
            GetLeaderboard.self, by: "alice", #"{"group_id":"\#(GroupID.random())","type":"streak"}"#)
        #expect(other.code == "not_found")
    }

    @Test("a board is published with the commit that changed it, retained, and then once a second at most")
    func publishing() throws {
        try world.pass(.seconds(10))
        try world.log("alice")
        let first = world.published("leaderboard.updated")
        #expect(
            first.map(\.topic).sorted()
                == ["check-ins", "streak"].map { "parley/v1/groups/\(world.group)/leaderboards/\($0)" })
        #expect(first.allSatisfy { $0.isRetained && $0.position != nil })
        #expect(first.allSatisfy { $0.lines == ["1 alice 1"] })
        for number in 0..<5 {
            try world.pass(.milliseconds(100))
            try world.log("bob", at: at(Int64(number)))
        }
        #expect(world.published("leaderboard.updated").isEmpty)
        #expect(try world.lines(.checkIns) == ["1 bob 5", "2 alice 1"])
        #expect(world.writer.wait(for: BoardDuty.self, now: world.now) == .milliseconds(500) + BoardClock.patience)
        try world.pass(.milliseconds(500) + BoardClock.patience)
        let second = world.published("leaderboard.updated")
        // The streak is published once, though it changed with the first of the five alone.
        #expect(second.map(\.lines) == [["1 bob 5", "2 alice 1"], ["1 bob 1", "1 alice 1"]] || second.count == 2)
        #expect(second.first?.version == (try world.get(.checkIns).version))
        try world.pass(.seconds(5))
        #expect(world.published("leaderboard.updated").isEmpty)
    }

    @Test("what was not published when a process ended is published by the next")
    func restart() throws {
        try world.log("alice")
        try world.log("bob")
        _ = world.published("leaderboard.updated")
        #expect(world.writer.wait(for: BoardDuty.self, now: world.now) == .seconds(1) + BoardClock.patience)
        try world.restart(at: world.now)
        #expect(world.published("leaderboard.updated").contains { $0.lines.count == 2 })
        try world.restart(at: world.now.advanced(by: .seconds(9)))
        #expect(world.published("leaderboard.updated").isEmpty)
    }

    @Test("a broker that has forgotten gets all boards again, once")
    func newBroker() throws {
        try world.log("alice")
        try world.pass(.seconds(5))
        _ = world.published("leaderboard.updated")
        for run: UInt64 in [1, 1, 2] {
            world.writer.duties[BoardDuty.self]?.clock.handle([.begin(broker: run, count: 0)])
            try world.maintain()
            try world.pass(.seconds(2))
        }
        #expect(world.published("leaderboard.updated").map(\.lines) == Array(repeating: ["1 alice 1"], count: 4))
        try world.restart(at: world.now)
        world.writer.duties[BoardDuty.self]?.clock.handle([.begin(broker: 2, count: 0)])
        try world.maintain()
        #expect(world.published("leaderboard.updated").isEmpty)
    }

    @Test("who shares nothing is on no board, be it final, and stands again when they share")
    func sharing() throws {
        try world.log("alice")
        try world.log("bob")
        try world.move(to: at(.days(6)))
        try world.log("alice", at: at(.days(6)))
        #expect(try world.lines(.checkIns, week: "2026-W03") == ["1 alice 1", "1 bob 1"])
        try world.ask(ProfileChange.self, by: "alice", #"{"share_workout_data":false}"#)
        #expect(try world.lines(.checkIns, week: "2026-W03") == ["1 bob 1"])
        #expect(try world.lines(.checkIns) == [])
        #expect(try world.log("alice", at: at(.days(6)).advanced(byMilliseconds: 1)).data["check_ins"] as? Int == 2)
        #expect(try world.lines(.checkIns) == [])
        try world.ask(ProfileChange.self, by: "alice", #"{"share_workout_data":true}"#)
        #expect(try world.lines(.checkIns) == ["1 alice 2"])
        // A week that is final takes nobody back.
        #expect(try world.lines(.checkIns, week: "2026-W03") == ["1 bob 1"])
    }

    @Test("who leaves is on no board that is open, and who comes brings what they have done")
    func membership() throws {
        try world.log("alice")
        try world.log("bob")
        try world.ask(LeaveGroup.self, by: "bob", #"{"group_id":"\#(world.group)"}"#)
        #expect(try world.lines(.checkIns) == ["1 alice 1"])
        #expect(try world.get(.checkIns, by: "bob").code == "not_found")
        try world.log("bob")
        #expect(try world.lines(.checkIns) == ["1 alice 1"])
        let archived = try BoardWorld()
        try archived.log("bob")
        try archived.move(to: at(.days(6)))
        try archived.ask(LeaveGroup.self, by: "bob", #"{"group_id":"\#(archived.group)"}"#)
        #expect(try archived.lines(.checkIns, week: "2026-W03") == ["1 bob 1"])
    }

    @Test("with a group its boards end")
    func deletion() throws {
        try world.log("alice")
        try world.ask(DeleteGroup.self, by: "alice", #"{"group_id":"\#(world.group)"}"#)
        #expect(try world.get(.checkIns).code == "not_found")
        for table in ["boards", "board_entries", "board_weeks"] {
            #expect(try world.test.text("SELECT count(*) FROM \(table)") == "0")
        }
        try world.pass(.days(30))
        #expect(world.published("week.ended").isEmpty)
    }

    @Test("another name is shown on the boards of the week that runs")
    func names() throws {
        try world.log("alice")
        try world.pass(.seconds(5))
        _ = world.published("leaderboard.updated")
        try world.ask(ProfileChange.self, by: "alice", #"{"display_name":"Ally"}"#)
        let boards = world.published("leaderboard.updated")
        #expect(boards.count == 2)
        for board in boards {
            let entries = board.data["entries"] as? [[String: Any]] ?? []
            #expect(entries.map { $0["display_name"] as? String } == ["Ally"])
        }
    }
}
