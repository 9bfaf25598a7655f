import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// A group of alice, bob and carol whose clock a test moves: workouts in, boards out.
final class BoardWorld {
    let world: SocialWorld
    let group = GroupID.random()
    let conversation: ConversationID
    /// The writer of the process that runs now.
    private(set) var writer: Writer
    private(set) var now: Timestamp
    /// What was published since this was last asked for.
    private var events: [Published] = []

    var test: TestWriter { world.test }

    /// - Parameter now: Thursday, 2026-01-15, 09:00 UTC where a test says nothing else.
    init(
        _ timeZone: String = "UTC", now: Timestamp = at(0), _ change: (inout Settings) -> Void = { _ in }
    ) throws {
        world = try SocialWorld(change)
        self.now = now
        writer = world.test.writer
        conversation = try world.test.group(["alice", "bob", "carol"], id: group, timeZone: timeZone, now: now)
        try world.test.addPeople(["dave"])
        try maintain()
        events = []
    }

    /// The process ends, and another begins at a time, to which it comes as in `move`.
    func restart(at time: Timestamp, isSet: Bool = false) throws {
        let offset = writer.clockOffset
        writer = try test.anotherWriter()
        writer.clockOffset = offset
        try move(to: time, isSet: isSet)
    }

    /// Time passes, in one leap; or the clock is set, and none passes.
    func move(to time: Timestamp, isSet: Bool = false) throws {
        if isSet { writer.clockOffset += time.milliseconds - now.milliseconds }
        now = time
        try maintain()
    }

    func pass(_ duration: Duration) throws { try move(to: now.advanced(by: duration)) }

    /// Does what is due about boards, until nothing is.
    func maintain() throws {
        for _ in 0..<10_000 {
            events += try writer.run(BoardDuty.self, now: now).outgoing.published
            guard writer.wait(for: BoardDuty.self, now: now) == .zero else { return }
        }
        Issue.record("there is no end of what is due")
    }

    /// Carries out a command, and what is due after it.
    @discardableResult
    func ask(_ kind: any Command.Type, by user: UserID, _ json: String) throws -> Published {
        let outcome = writer.carryOut([try request(kind, json, from: device(user, "phone"))], now: now)
        let published = try outcome.effects.outgoing.published
        events += published.filter { $0.event != nil }
        try maintain()
        return try #require(published.first { $0.isOK != nil })
    }

    /// Somebody did something.
    @discardableResult
    func log(
        _ user: UserID, at time: Timestamp? = nil, id: WorkoutID = .random(), zone: String = "UTC", _ rest: String = ""
    ) throws -> Published {
        try ask(
            LogWorkout.self, by: user,
            #"{"id":"\#(id)","completed_at":"\#(time ?? now)","time_zone":"\#(zone)"\#(rest)}"#)
    }

    @discardableResult
    func delete(_ user: UserID, _ id: WorkoutID) throws -> Published {
        try ask(DeleteWorkout.self, by: user, #"{"id":"\#(id)"}"#)
    }

    /// `leaderboards/get`
    func get(_ type: LeaderboardType, week: String? = nil, by user: UserID = "alice") throws -> Published {
        let week = week.map { #","week":"\#($0)""# } ?? ""
        return try world.read(
            GetLeaderboard.self, by: user, #"{"group_id":"\#(group)","type":"\#(type.rawValue)"\#(week)}"#, now: now)
    }

    /// Who stands where on a board: `1 alice 3`.
    func lines(_ type: LeaderboardType, week: String? = nil) throws -> [String] { try get(type, week: week).lines }

    /// What was published since this was last asked for, of one name.
    func published(_ event: String) -> [Published] {
        defer { events.removeAll { $0.event == event } }
        return events.filter { $0.event == event }
    }
}

extension Published {
    /// The lines of a board: `1 alice 3`.
    var lines: [String] {
        let entries = data["entries"] as? [[String: Any]] ?? []
        return entries.map { "\($0["rank"] ?? "") \($0["user_id"] ?? "") \($0["value"] ?? "")" }
    }

    var version: Int? { data["version"] as? Int }
}

func instant(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }
