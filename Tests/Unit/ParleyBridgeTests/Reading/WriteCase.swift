import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

/// A write and what was done before it, within the second in which everything that is paced has just been published.
struct WriteCase: Sendable, CustomTestStringConvertible {
    let name: String
    private let makeWorld: @Sendable () throws -> SocialWorld
    private let command: @Sendable () throws -> IncomingCommand

    var testDescription: String { name }

    /// Which write it is: two cases of one operation differ in what stands behind a comma.
    var operation: String { String(name.prefix { $0 != "," }) }

    private init(_ example: CommandExample) {
        name = example.name
        makeWorld = { try example.world() }
        command = { try example.command() }
    }

    private init(
        _ name: String, after prepare: @escaping @Sendable (SocialWorld) throws -> Void,
        _ command: @escaping @Sendable () throws -> IncomingCommand
    ) {
        self.name = name
        makeWorld = {
            let world = try SocialWorld()
            try world.test.addPeople(["dave", "erin"])
            _ = try world.test.conversation(["alice", "bob", "carol"], id: CommandExample.group)
            try CommandExample.makeGroup(world)
            try prepare(world)
            return world
        }
        self.command = command
    }

    /// Alice and Bob have challenges of all types that count, each published at the time of the write.
    func world() throws -> SocialWorld {
        let world = try makeWorld()
        for (challenge, type) in WriteCase.challenges {
            try world.startChallenge(challenge, in: CommandExample.group, type: type)
        }
        return world
    }

    func carryOut(in world: SocialWorld) throws -> SocialWorld.Result { try world.result(of: try command()) }

    static let challenges: [(ChallengeID, ChallengeType)] = zip(
        1..., [.steps, .calories, .workoutCount, .streak]
    ).map { (ChallengeID(UUIDValue(high: 5, low: $0)), $1) }

    static func all() throws -> [WriteCase] {
        try CommandExample.all().map(WriteCase.init) + [
            WriteCase("metrics/report, anew", after: { try $0.report(1, by: "alice") }) {
                try request(
                    ReportMetrics.self,
                    #"{"date":"2026-01-15","time_zone":"UTC","steps":2000,"calories":5,"version":2}"#)
            },
            WriteCase("workouts/log, a second one", after: { _ = try $0.log(7) }) {
                try request(LogWorkout.self, CommandExample.log(8, "2026-01-15T08:30:00.000Z"))
            },
            WriteCase("workouts/delete, while challenged", after: { _ = try $0.log(7) }) {
                try request(DeleteWorkout.self, #"{"id":"\#(CommandExample.id(7))"}"#)
            },
            WriteCase(
                "profile/set, sharing nothing",
                after: { world in
                    try world.report(1, by: "alice")
                    _ = try world.log(7)
                }
            ) { try request(ProfileChange.self, #"{"share_workout_data":false}"#) },
        ]
    }
}

extension SocialWorld {
    fileprivate func log(_ number: UInt64) throws -> Result {
        try ask(LogWorkout.self, by: "alice", CommandExample.log(number, "2026-01-15T08:00:00.000Z"))
    }

    /// Does all that the gateway does later by itself.
    func doDueWork(now: Timestamp) throws {
        let writer = test.writer
        _ = writer.expireTyping(now: now)
        _ = writer.runDuties(now: now)
        try #require(writer.carryOut([], now: now).isCommitted)
    }
}
