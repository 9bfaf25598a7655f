import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Who is notified of the end of a week. It is Thursday, 2026-01-15, 09:00 UTC.
@Suite("Notifications of the end of a week", .onEveryStore)
struct WeekEndNotificationTests {
    private let world: BoardWorld
    /// Besides the one of the world, which has three members.
    private let pairs = 12

    init() throws {
        world = try BoardWorld { $0.groupsPerUser = 20 }
        for _ in 0..<pairs { _ = try world.test.group(["alice", "bob"], id: .random(), now: world.now) }
    }

    private var monday: Timestamp { get throws { try instant("2026-01-19T00:00:00.000Z") } }

    /// `topic group week`
    private func notifications() -> [String] {
        world.published("notification.new").filter { $0.data["type"] as? String == "week_ended" }
            .map { "\($0.topic) \($0.data["group_id"] ?? "") \($0.data["week"] ?? "")" }
    }

    @Test("everybody is notified once, a few groups at once, when all weeks have ended")
    func everybody() throws {
        try world.move(to: try monday)
        #expect(world.published("week.ended").count == pairs + 1)
        var all = notifications()
        // What one transaction takes: the others wait.
        #expect(!all.isEmpty && all.count <= 9)
        #expect(try #require(world.writer.wait(for: BoardDuty.self, now: world.now)) > .zero)
        for _ in 0..<pairs {
            try world.pass(.milliseconds(100))
            all += notifications()
        }
        #expect(all.count == 3 + 2 * pairs && Set(all).count == all.count)
        #expect(all.allSatisfy { $0.hasSuffix("2026-W03") })
        try world.pass(.seconds(60))
        #expect(notifications() == [])
    }

    @Test("who is not notified yet when the gateway ends is when it starts again, and nobody twice")
    func restart() throws {
        try world.move(to: try monday)
        var all = notifications()
        for _ in 0..<pairs {
            try world.restart(at: world.now.advanced(by: .seconds(1)))
            all += notifications()
        }
        #expect(all.count == 3 + 2 * pairs && Set(all).count == all.count)
    }

    @Test("nobody is notified of a week that is yet to end")
    func notOfOthers() throws {
        try world.move(to: try monday, isSet: true)
        let early = notifications().count
        // The clock was wrong: the week goes on.
        try world.move(to: at(.seconds(60)), isSet: true)
        for _ in 0..<pairs { try world.pass(.seconds(1)) }
        #expect(early > 0 && notifications() == [])
        try world.move(to: try monday)
        // What has been notified of too early is not repeated.
        for _ in 0..<pairs { try world.pass(.seconds(1)) }
        #expect(notifications().count == 3 + 2 * pairs - early)
    }

    @Test("who joins after the end is not notified of it")
    func joinedLater() throws {
        // Of the groups that were made first members are notified with the turn: dave comes into one behind them.
        let late = GroupID.random()
        _ = try world.test.group(["alice", "bob"], id: late, now: world.now)
        let made = try world.ask(CreateInvite.self, by: "alice", #"{"group_id":"\#(late)"}"#)
        let token = try #require(made.data["token"] as? String)
        try world.move(to: try monday)
        #expect(notifications().allSatisfy { !$0.contains("\(late)") })
        try world.ask(AcceptInvite.self, by: "dave", #"{"token":"\#(token)"}"#)
        var all: [String] = []
        for _ in 0..<pairs {
            try world.pass(.seconds(1))
            all += notifications()
        }
        #expect(all.filter { $0.contains("\(late)") }.count == 2 && !all.contains { $0.contains("/dave/") })
        try world.move(to: try monday.advanced(by: .days(7)))
        for _ in 0..<pairs { try world.pass(.seconds(1)) }
        #expect(notifications().filter { $0.contains("/dave/") }.count == 1)
    }
}
