import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What `workouts/log` and `workouts/delete` take, refuse and cause. It is Thursday, 2026-01-15, 09:00 UTC.
@Suite("Workouts", .onEveryStore)
struct WorkoutTests {
    private let world: BoardWorld

    init() throws { world = try BoardWorld() }

    private func count(_ table: String = "workouts") throws -> String? {
        try world.test.text("SELECT count(*) FROM \(table)")
    }

    @Test("a workout counts for its day and week, and the reply says how its user stands")
    func logging() throws {
        try world.log("alice", at: at(.days(-1)))
        let reply = try world.log("alice", zone: "Europe/Berlin", #","kind":"run","minutes":30"#)
        #expect(reply.isOK == true)
        #expect(reply.data["week"] as? String == "2026-W03")
        #expect(reply.data["check_ins"] as? Int == 2 && reply.data["streak_days"] as? Int == 2)
        #expect(try world.lines(.checkIns) == ["1 alice 2"])
        #expect(try world.lines(.streak) == ["1 alice 2"])
    }

    @Test("who is in no group is told how they stand by the weeks of UTC")
    func withoutGroup() throws {
        let reply = try world.log("dave", zone: "Pacific/Kiritimati")
        #expect(reply.data["week"] as? String == "2026-W03" && reply.data["check_ins"] as? Int == 1)
        #expect(try world.lines(.checkIns) == [])
    }

    @Test("the same again gets the first reply whatever has changed since, another under its id a conflict")
    func repeats() throws {
        let id = WorkoutID.random()
        let first = try world.log("alice", at: at(-1), id: id)
        try world.log("alice", at: at(-2))
        try world.pass(.days(30))
        #expect(try world.log("alice", at: at(-1), id: id).payload == first.payload)
        #expect(try world.log("alice", at: at(-2), id: id).code == "conflict")
        #expect(try world.log("alice", at: at(-1), id: id, #","kind":"""#).code == "conflict")
        #expect(try world.log("alice", at: at(-1), id: id, #","minutes":0"#).code == "conflict")
        #expect(try count() == "2")
    }

    @Test(
        "what cannot have been is refused and changes nothing",
        arguments: [
            (#""completed_at":"2026-01-15T09:05:00.001Z""#, "bad_request"),
            (#""completed_at":"9999-12-31T23:59:59.999Z""#, "bad_request"),
            (#""completed_at":"2024-12-11T08:59:59.999Z""#, "bad_request"),
            (#""completed_at":"2024-12-11T09:00:00.000Z""#, "week_closed"),
            (#""completed_at":"2026-01-11T23:59:59.999Z""#, "week_closed"),
            (#""time_zone":"Mars/Olympus""#, "bad_request"),
        ])
    func refusals(_ field: String, _ code: String) throws {
        let others = [#""completed_at":"2026-01-15T09:00:00.000Z""#, #""time_zone":"UTC""#]
        let named = field.prefix { $0 != ":" }
        let fields = [field] + others.filter { !$0.hasPrefix(named) }
        let reply = try world.ask(
            LogWorkout.self, by: "alice", #"{"id":"\#(WorkoutID.random())",\#(fields.joined(separator: ","))}"#)
        #expect(reply.code == code)
        #expect(try count() == "0")
        #expect(try count("workout_runs") == "0")
        #expect(try world.lines(.checkIns) == [])
    }

    @Test("five minutes ahead are taken, as is the first instant of a week that is open")
    func edges() throws {
        #expect(try world.log("alice", at: at(.seconds(300))).isOK == true)
        #expect(try world.log("bob", at: instant("2026-01-12T00:00:00.000Z")).isOK == true)
        #expect(try world.lines(.checkIns) == ["1 bob 1", "1 alice 1"])
    }

    @Test("no more than a hundred workouts of one day are stored, and no more than the cap count")
    func manyOfOneDay() throws {
        for number in 0..<100 { #expect(try world.log("alice", at: at(Int64(-number))).isOK == true) }
        #expect(try world.log("alice", at: at(-100)).code == "bad_request")
        #expect(try world.log("alice", at: at(.days(-1))).isOK == true)
        #expect(try world.lines(.checkIns) == ["1 alice 25"])
        #expect(try count() == "101")
    }

    @Test("what is taken back counts no more, and a late repeat of its log does not bring it back")
    func deletion() throws {
        let (first, second) = (WorkoutID.random(), WorkoutID.random())
        let logged = try world.log("alice", at: at(.days(-1)), id: first)
        try world.log("alice", at: at(0), id: second)
        try world.log("bob", at: at(0))
        #expect(try world.lines(.streak) == ["1 alice 2", "2 bob 1"])
        let reply = try world.delete("alice", first)
        #expect(reply.data["check_ins"] as? Int == 1 && reply.data["streak_days"] as? Int == 1)
        #expect(try world.lines(.checkIns) == ["1 alice 1", "1 bob 1"])
        #expect(try world.lines(.streak) == ["1 alice 1", "1 bob 1"])
        #expect(try world.log("alice", at: at(.days(-1)), id: first).payload == logged.payload)
        #expect(try world.delete("alice", first).payload == reply.payload)
        #expect(try world.lines(.checkIns) == ["1 alice 1", "1 bob 1"])
        try world.delete("alice", second)
        #expect(try world.lines(.checkIns) == ["1 bob 1"])
        #expect(try count("workout_runs") == "1")
    }

    @Test("nobody takes back what is another's or what there is not")
    func deletionOfOthers() throws {
        let id = WorkoutID.random()
        try world.log("alice", id: id)
        #expect(try world.delete("bob", id).code == "not_found")
        #expect(try world.delete("alice", .random()).code == "not_found")
        #expect(try world.lines(.checkIns) == ["1 alice 1"])
    }

    @Test("an operator logs nothing")
    func operators() throws {
        let json = #"{"id":"\#(WorkoutID.random())","completed_at":"\#(at(0))","time_zone":"UTC"}"#
        let outcome = world.test.carryOut([try request(LogWorkout.self, json, from: device("operator", "console"))])
        #expect(try outcome.effects.outgoing.replies.first?.code == "forbidden")
    }
}
