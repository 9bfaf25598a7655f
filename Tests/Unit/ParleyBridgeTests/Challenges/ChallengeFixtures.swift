import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

/// Ten in the morning of 2026-01-15 in Berlin, which is what `at(0)` is.
let january15 = CivilDay(daysSinceEpoch: 20_468)

extension SocialWorld {
    /// alice challenges bob.
    @discardableResult
    func makeChallenge(
        _ id: ChallengeID, in conversation: ConversationID, type: ChallengeType = .steps,
        by challenger: UserID = "alice",
        to challenged: UserID = "bob", days: Int = 2, now: Timestamp = at(0)
    ) throws -> Result {
        try result(
            of: request(
                CreateChallenge(
                    id: id, conversation: conversation, challenged: challenged, type: type, target: 2,
                    durationDays: days),
                from: device(challenger, "phone")), now: now)
    }

    @discardableResult
    func startChallenge(
        _ id: ChallengeID, in conversation: ConversationID, type: ChallengeType = .steps, days: Int = 2,
        now: Timestamp = at(0)
    ) throws -> Result {
        try makeChallenge(id, in: conversation, type: type, days: days, now: now)
        return try answer(AcceptChallenge(challenge: id), by: "bob", now: now)
    }

    @discardableResult
    func answer(_ answer: some Command, by user: UserID, now: Timestamp = at(0)) throws -> Result {
        try result(of: request(answer, from: device(user, "phone")), now: now)
    }

    @discardableResult
    func report(
        _ steps: Int, by user: UserID, day: CivilDay = january15, zone: String = "UTC", version: Int = 1,
        now: Timestamp = at(0)
    ) throws -> Result {
        try answer(
            ReportMetrics(day: day, timeZone: zone, values: MetricValues(steps: steps), version: version), by: user,
            now: now)
    }

    func challenge(_ id: ChallengeID, seenBy user: UserID = "alice", now: Timestamp = at(0)) throws -> Challenge {
        try read(GetChallenge.self, by: user, #"{"id":"\#(id)"}"#, now: now).value()
    }

    /// What a writer publishes of challenges when time has passed and nobody asks for anything.
    func tick(_ now: Timestamp) throws -> [Challenge] {
        try tick(test.writer, now)
    }

    func tick(_ writer: Writer, _ now: Timestamp) throws -> [Challenge] {
        guard writer.isDue(ChallengeDuty.self, now: now) else { return [] }
        return try challenges(writer.carryOut([], now: now).effects.outgoing)
    }

    func challenges(_ outgoing: Outgoing) throws -> [Challenge] {
        try outgoing.events.filter { $0.event == "challenge.updated" }.map { event in
            guard let topic = Topic(event.topic),
                let challenge = try EventTable.read(event.payload, on: topic) as? Challenge
            else { throw Rejection.internalFault }
            return challenge
        }
    }
}
